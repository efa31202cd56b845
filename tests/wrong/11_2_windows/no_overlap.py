# expect: the windows do not overlap
def windows(x, size):
    step = x.stride(0)
    count = min(len(x) - size + 1, len(x) // size)
    rows = x.as_strided((count, size), (size * step, step))
    return rows
