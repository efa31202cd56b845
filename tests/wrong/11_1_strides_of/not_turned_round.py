# expect: the strides come out in reverse order
def strides_of(shape):
    strides, product = [], 1
    for size in reversed(shape):
        strides.append(product)
        product *= max(size, 1)
    return tuple(strides)
