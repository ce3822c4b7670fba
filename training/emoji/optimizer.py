"""Muon for the matrices of the blocks (orthogonalised momentum, scaled to AdamW's usual step), AdamW for the rest."""

import torch

# Coefficients of quintic Newton-Schulz. Five rounds bring singular values near 1.
A, B, C, ROUNDS = 3.4445, -4.775, 2.0315, 5


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    tall = matrix.shape[0] > matrix.shape[1]
    x = (matrix.T if tall else matrix) / (matrix.norm() + 1e-7)
    for _ in range(ROUNDS):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=B, alpha=C), x, beta=A)
    return x.T if tall else x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr: float, momentum: float = 0.95, weight_decay: float = 0.01):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
                ahead = parameter.grad.lerp(state["momentum"], group["momentum"])
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                # 0.2: the root mean square of a typical AdamW step, in units of its learning rate.
                parameter.add_(orthogonal(ahead), alpha=-0.2 * group["lr"] * max(parameter.shape) ** 0.5)


def make(model: torch.nn.Module, kind: str, lr: float) -> list[torch.optim.Optimizer]:
    matrices, rest = [], []
    for name, parameter in model.named_parameters():
        in_block = parameter.ndim == 2 and ".blocks." in f".{name}"
        (matrices if in_block and kind == "muon" else rest).append(parameter)
    optimizers: list[torch.optim.Optimizer] = [torch.optim.AdamW(rest, lr=lr, betas=(0.9, 0.98), weight_decay=0.01)]
    if matrices:
        optimizers.append(Muon(matrices, lr=lr))
    return optimizers
