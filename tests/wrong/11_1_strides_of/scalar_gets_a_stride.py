# expect: there must be one stride for each dimension
def strides_of(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.append(strides[-1] * max(size, 1))
    return tuple(reversed(strides))
