# expect: the gradient of `sum` is missing
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "threshold_backward", "t", "mm"],
    "update": ["mul", "sub_"],
}
