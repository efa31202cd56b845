# expect: it starts at element 0 of the storage; x starts at 5
def windows(x, size):
    step = x.stride(0)
    return x.as_strided((len(x) - size + 1, size), (step, step), 0)
