# expect: it returns a bool
def conv_kernel(x_shape, w_shape, dtype):
    return x_shape[0] > 1
