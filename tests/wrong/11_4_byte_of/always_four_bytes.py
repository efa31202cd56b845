# expect: torch.float64 has 8 bytes an element
def byte_of(x, index):
    steps = sum(i * stride for i, stride in zip(index, x.stride(), strict=True))
    return (x.storage_offset() + steps) * 4
