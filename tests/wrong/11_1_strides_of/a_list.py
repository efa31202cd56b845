# expect: strides come as a tuple
def strides_of(shape):
    strides, product = [], 1
    for size in reversed(shape):
        strides.insert(0, product)
        product *= max(size, 1)
    return strides
