# expect: the last window is missing
def windows(x, size):
    step = x.stride(0)
    return x.as_strided((len(x) - size, size), (step, step))
