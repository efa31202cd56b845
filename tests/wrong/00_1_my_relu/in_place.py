# expect: it changes its input
def my_relu(x):
    x[x < 0] = 0
    return x
