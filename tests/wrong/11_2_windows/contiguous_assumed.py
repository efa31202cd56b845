# expect: it takes strides (1, 1), but x has stride 2
def windows(x, size):
    return x.as_strided((len(x) - size + 1, size), (1, 1))
