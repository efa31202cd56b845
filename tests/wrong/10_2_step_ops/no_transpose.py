# expect: the transposition `t` is an operator too
step_ops = {
    "forward": ["mm", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "mm"],
    "update": ["mul", "sub_"],
}
