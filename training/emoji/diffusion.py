"""Adapts the flow network to Stable Diffusion 1.x: it takes that schedule's timesteps and predicts noise, so that its samplers work."""

import math

import torch
from torch import nn

STEPS, BETA_START, BETA_END = 1000, 0.00085, 0.012
SCHEDULER = {
    "_class_name": "EulerDiscreteScheduler",
    "num_train_timesteps": STEPS,
    "beta_start": BETA_START,
    "beta_end": BETA_END,
    "beta_schedule": "scaled_linear",
    "prediction_type": "epsilon",
    "timestep_spacing": "linspace",
    "interpolation_type": "linear",
    "use_karras_sigmas": False,
    "steps_offset": 0,
}


def log_sigmas() -> torch.Tensor:
    """log(sigma / alpha) at each of the 1000 steps."""
    betas = torch.linspace(BETA_START**0.5, BETA_END**0.5, STEPS, dtype=torch.float64) ** 2
    kept = torch.cumprod(1 - betas, 0)
    return (0.5 * ((1 - kept) / kept).log()).float()


class NoisePredictor(nn.Module):
    """`sample` has variance 1, as schedulers pass it. `timestep` is (1,) or (B,), with fractions allowed."""

    def __init__(self, flow: nn.Module):
        super().__init__()
        self.flow = flow
        self.register_buffer("log_sigmas", log_sigmas())

    def forward(self, sample, timestep, encoder_hidden_states):
        timestep = timestep.clamp(0, STEPS - 1)
        below = timestep.floor()
        above = (below + 1).clamp(max=STEPS - 1)
        part = timestep - below
        sigma = (self.log_sigmas[below.long()] * (1 - part) + self.log_sigmas[above.long()] * part).exp()
        t = sigma / (1 + sigma)
        # alpha + sigma alpha: the scale between (1 - t, t) and a sample of variance 1
        latents = sample * ((1 + sigma.square()).sqrt() / (1 + sigma))[:, None, None, None]
        return latents + (1 - t)[:, None, None, None] * self.flow(latents, t, encoder_hidden_states)


def normal_schedule(steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """ComfyUI's "normal" schedule: sigmas (steps + 1, the last one 0) and the timesteps of all but the last."""
    at = torch.linspace(STEPS - 1, 0, steps)
    all_log_sigmas = log_sigmas()
    below = at.floor().long()
    above = (below + 1).clamp(max=STEPS - 1)
    part = at - below
    sigmas = (all_log_sigmas[below] * (1 - part) + all_log_sigmas[above] * part).exp()
    return torch.cat([sigmas, torch.zeros(1)]), at


def euler(predict, noise: torch.Tensor, steps: int) -> torch.Tensor:
    """Samples latents from pure noise by Euler steps. `predict(sample of variance 1, timestep (1,))` gives the noise."""
    sigmas, timesteps = normal_schedule(steps)
    x = noise * math.sqrt(1 + float(sigmas[0]) ** 2)
    for now, then, timestep in zip(sigmas[:-1], sigmas[1:], timesteps):
        epsilon = predict(x / (1 + now.square()).sqrt(), timestep[None])
        x = x + (then - now) * epsilon
    return x
