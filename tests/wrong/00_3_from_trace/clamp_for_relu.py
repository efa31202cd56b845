# expect: operator 2 of its trace is aten.clamp
def from_trace(a, b):
    return ((a - b).clamp(min=0) * a).sum(dim=0)
