# expect: is what torch.optim.SGD calls
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "t", "mm"],
    "update": ["add_"],
}
