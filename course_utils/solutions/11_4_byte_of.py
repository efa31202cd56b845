def byte_of(x, index):
    """The byte, counted from the start of x's storage, where x[index] begins."""
    steps = sum(i * x.stride(d) for d, i in enumerate(index))
    return (x.storage_offset() + steps) * x.itemsize
