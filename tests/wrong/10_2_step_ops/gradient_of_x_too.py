# expect: if x asked for a gradient too
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "t", "mm", "t", "mm"],
    "update": ["mul", "sub_"],
}
