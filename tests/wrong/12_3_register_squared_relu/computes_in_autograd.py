# expect: its autograd kernel computes by itself
import torch


def register_squared_relu(lib):
    lib.define("squared_relu(Tensor x, float scale) -> Tensor")

    def forward(x, scale):
        return scale * torch.relu(x) ** 2

    lib.impl("squared_relu", forward, "CPU")
    lib.impl("squared_relu", lambda x, scale: torch.empty_like(x), "Meta")
    lib.impl("squared_relu", forward, "Autograd")
