# expect: the first dimension moves by 1
def strides_of(shape):
    strides, product = [], 1
    for size in shape:
        strides.append(product)
        product *= max(size, 1)
    return tuple(strides)
