# expect: it copies
def windows(x, size):
    x = x.contiguous()
    return x.as_strided((len(x) - size + 1, size), (1, 1))
