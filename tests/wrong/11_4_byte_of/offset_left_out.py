# expect: and that is left out
def byte_of(x, index):
    steps = sum(i * stride for i, stride in zip(index, x.stride(), strict=True))
    return steps * x.itemsize
