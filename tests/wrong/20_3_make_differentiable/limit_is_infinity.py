# expect: the gradient at x = inf became 0
import torch


def make_differentiable(op: str) -> None:
    def setup_context(ctx, inputs, output):
        x, ctx.limit = inputs
        ctx.save_for_backward(x)

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        blocked = x <= 0
        if ctx.limit is not None:
            pass
        blocked |= x >= (float("inf") if ctx.limit is None else ctx.limit)
        return torch.where(blocked, 0, grad), None

    def fake(x, limit=None):
        return torch.empty_like(x, memory_format=torch.contiguous_format)

    torch.library.register_fake(op, fake)
    torch.library.register_autograd(op, backward, setup_context=setup_context)
