# expect: the storage offset counts elements too
def byte_of(x, index):
    steps = sum(i * stride for i, stride in zip(index, x.stride(), strict=True))
    return x.storage_offset() + steps * x.itemsize
