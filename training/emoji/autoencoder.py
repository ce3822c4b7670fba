"""Autoencoder between 128x128x3 in -1..1 and 16x16x4. It convolves at 32x32 and 16x16 only, which is fast on CPUs."""

import torch
import torch.nn.functional as F
from torch import nn

from settings import LATENT_CHANNELS


class Residual(nn.Module):
    def __init__(self, width: int, groups: int = 8):
        super().__init__()
        self.n1 = nn.GroupNorm(groups, width)
        self.c1 = nn.Conv2d(width, width, 3, padding=1)
        self.n2 = nn.GroupNorm(groups, width)
        self.c2 = nn.Conv2d(width, width, 3, padding=1)
        nn.init.zeros_(self.c2.weight)
        nn.init.zeros_(self.c2.bias)

    def forward(self, x):
        return x + self.c2(F.silu(self.n2(self.c1(F.silu(self.n1(x))))))


class Encoder(nn.Module):
    """Encodes (B, 3, 128, 128) to the mean and the logarithm of the variance, (B, 8, 16, 16)."""

    def __init__(self, outer: int = 96, inner: int = 160, depth: int = 3):
        super().__init__()
        self.a = nn.Sequential(
            nn.PixelUnshuffle(4),
            nn.Conv2d(48, outer, 3, padding=1),
            Residual(outer),
            nn.PixelUnshuffle(2),
            nn.Conv2d(4 * outer, inner, 1),
            *[Residual(inner) for _ in range(depth)],
            nn.GroupNorm(8, inner),
            nn.SiLU(),
            nn.Conv2d(inner, 2 * LATENT_CHANNELS, 1),
        )

    def forward(self, pixels):
        return self.a(pixels)


class Decoder(nn.Module):
    """Decodes (B, 4, 16, 16) to (B, 3, 128, 128)."""

    def __init__(self, outer: int = 96, inner: int = 192, depth: int = 4, outer_depth: int = 2):
        super().__init__()
        self.a = nn.Sequential(
            nn.Conv2d(LATENT_CHANNELS, inner, 3, padding=1),
            *[Residual(inner) for _ in range(depth)],
            nn.Conv2d(inner, 4 * outer, 1),
            nn.PixelShuffle(2),
            *[Residual(outer) for _ in range(outer_depth)],
            nn.GroupNorm(8, outer),
            nn.SiLU(),
            nn.Conv2d(outer, 48, 3, padding=1),
            nn.PixelShuffle(4),
        )

    def forward(self, latents):
        return self.a(latents)
