# expect: the strides are in bytes
def strides_of(shape):
    strides, product = [], 4
    for size in reversed(shape):
        strides.append(product)
        product *= max(size, 1)
    return tuple(reversed(strides))
