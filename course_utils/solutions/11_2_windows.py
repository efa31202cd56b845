def windows(x, size):
    """x: (N,). Returns all windows of `size` neighbors, (N - size + 1, size)."""
    step = x.stride(0)
    return x.as_strided((len(x) - size + 1, size), (step, step))
