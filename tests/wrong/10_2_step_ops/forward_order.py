# expect: backward goes from the loss to w
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "t", "mm", "threshold_backward", "expand"],
    "update": ["mul", "sub_"],
}
