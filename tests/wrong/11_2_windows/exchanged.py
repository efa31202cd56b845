# expect: rows and columns are exchanged
def windows(x, size):
    step = x.stride(0)
    return x.as_strided((size, len(x) - size + 1), (step, step))
