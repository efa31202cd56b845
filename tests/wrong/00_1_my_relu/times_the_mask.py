# expect: -inf became NaN


def my_relu(x):
    return x * (x > 0).to(x.dtype)
