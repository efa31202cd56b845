def strides_of(shape):
    """The strides, in elements, of a contiguous tensor of this shape."""
    strides = []
    product = 1
    for size in reversed(shape):
        strides.append(product)
        product *= size or 1  # PyTorch counts a size of 0 as 1
    return tuple(reversed(strides))
