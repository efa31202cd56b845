# expect: operators that do so end in an underscore
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "t", "mm"],
    "update": ["mul", "sub"],
}
