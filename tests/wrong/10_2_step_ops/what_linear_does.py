# expect: that is what `nn.Linear` does
step_ops = {
    "forward": ["t", "addmm", "relu", "sum"],
    "backward": ["ones_like", "expand", "threshold_backward", "t", "mm"],
    "update": ["mul", "sub_"],
}
