# expect: these are the strides of a contiguous tensor
def byte_of(x, index):
    position = 0
    for i, size in zip(index, x.shape, strict=True):
        position = position * size + i
    return (x.storage_offset() + position) * x.itemsize
