# expect: matmul` is above autograd
step_ops = {
    "forward": ["matmul", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "t", "mm"],
    "update": ["mul", "sub_"],
}
