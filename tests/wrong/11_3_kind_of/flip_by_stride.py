# expect: going backward needs a negative stride
kind_of = {
    "x[:, 1]": "view",
    "x[[0, 1]]": "copy",
    "x.t().reshape(12)": "copy",
    "x.t().reshape(2, 2, 3)": "view",
    "x.flip(0)": "view",
    "x.expand(2, 3, 4)": "view",
    "x.contiguous()": "itself",
    "x.to(torch.float32)": "itself",
    "x.view(torch.int32)": "view",
    "x.clone()": "copy",
}
