"""Text encoder and flow transformer. Shapes: B images, L = 77 tokens, D = width, latents (B, 4, H, W) with even H and W."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from settings import LATENT_CHANNELS, LATENT_SIDE, TEXT_LENGTH

PATCH = 2


def split_heads(x, heads: int):
    batch, length, width = x.shape
    return x.view(batch, length, heads, width // heads).transpose(1, 2)


def attend(q, k, v, heads: int, bias=None):
    """Attention over (B, T, D), with an optional (B, 1, 1, T) bias on the keys."""
    out = F.scaled_dot_product_attention(*(split_heads(x, heads) for x in (q, k, v)), attn_mask=bias)
    return out.transpose(1, 2).flatten(2)


class TextLayer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width))

    def forward(self, x, bias):
        x = x + self.out(attend(*self.qkv(self.norm1(x)).chunk(3, -1), self.heads, bias))
        return x + self.mlp(self.norm2(x))


class TextEncoder(nn.Module):
    """Encodes token ids (B, L) to (B, L, D). Positions after the first end token are ignored and have zero outputs."""

    def __init__(self, vocabulary: int, width: int, heads: int, layers: int, end: int):
        super().__init__()
        self.end = end
        self.embedding = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.embedding.weight, std=0.5)
        self.position = nn.Parameter(torch.randn(TEXT_LENGTH, width) * 0.02)
        self.layers = nn.ModuleList([TextLayer(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        ended = (ids == self.end).float()
        # 1 up to and including the first end token, then 0
        used = ((ended.cumsum(1) - ended) < 0.5).float()
        bias = ((used - 1) * 1e4)[:, None, None]
        x = self.embedding(ids) + self.position[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x, bias)
        return self.norm(x) * used[..., None]


class Gathered(nn.Module):
    """Attention of learned queries to the text: (B, any length, D) to (B, queries, D). Zero vectors are padding and ignored."""

    def __init__(self, width: int, heads: int, queries: int):
        super().__init__()
        self.heads = heads
        self.queries = nn.Parameter(torch.randn(queries, width) * 0.3)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(approximate="tanh"), nn.Linear(2 * width, width))

    def forward(self, text):
        is_token = (text.square().sum(-1) > 1e-6).to(text.dtype)
        bias = ((is_token - 1) * 1e4)[:, None, None]
        q = self.q(self.queries)[None].expand(text.shape[0], -1, -1)
        x = self.out(attend(q, self.k(text), self.v(text), self.heads, bias))
        return x + self.mlp(self.norm(x))


class Sketch(nn.Module):
    """
    Predicts latents (B, 4, 16, 16) from the text (B, L, D) alone. They are blurred where the text leaves details open. The
    product of two readings of the text lets shape and background colour be learned separately.
    """

    def __init__(self, width: int, heads: int, hidden: int):
        super().__init__()
        self.gathered = Gathered(width, heads, 2)
        self.gate, self.content = nn.Linear(2 * width, hidden), nn.Linear(2 * width, hidden)
        self.out = nn.Linear(hidden, LATENT_CHANNELS * LATENT_SIDE**2)

    def forward(self, text):
        readings = self.gathered(text).flatten(1)
        latents = self.out(self.content(readings) * F.gelu(self.gate(readings), approximate="tanh"))
        return latents.view(-1, LATENT_CHANNELS, LATENT_SIDE, LATENT_SIDE)


def expected_velocity(latents, t, sketch, error: float):
    """
    E[noise - image] by Bayes' rule for two normal distributions. The image is normal around the sketch with variance `error`,
    relative to the latents' variance 1. Latents are (1 - t) image + t noise. The network learns the remaining part.
    """
    t = t[:, None, None, None]
    clean = 1 - t
    off = latents - clean * sketch
    return off * (t - clean * error) / (clean.square() * error + t.square()) - sketch


class Block(nn.Module):
    """Attention over image and text tokens together. The condition scales, shifts and gates both halves."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, elementwise_affine=False)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, elementwise_affine=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        self.modulation = nn.Linear(width, 6 * width)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, x, condition):
        scale1, shift1, gate1, scale2, shift2, gate2 = self.modulation(condition)[:, None].chunk(6, -1)
        q, k, v = self.qkv(self.norm1(x) * (1 + scale1) + shift1).chunk(3, -1)
        x = x + gate1 * self.out(attend(q, k, v, self.heads))
        return x + gate2 * self.mlp(self.norm2(x) * (1 + scale2) + shift2)


class FlowTransformer(nn.Module):
    """Velocity (noise - image) of `latents = (1 - t) image + t noise`, with t (B,) in 0..1 and a text (B, L, D)."""

    def __init__(self, width: int, depth: int, heads: int, queries: int, sketch: int, sketch_error: float):
        super().__init__()
        self.sketch_error = sketch_error
        self.side = LATENT_SIDE // PATCH
        inside = LATENT_CHANNELS * PATCH**2
        self.sketch = Sketch(width, heads, sketch) if sketch else None
        self.patch = nn.Linear(2 * inside if sketch else inside, width)
        self.position = nn.Parameter(torch.randn(self.side**2, width) * 0.02)
        self.gathered = Gathered(width, heads, queries + 1)
        self.text_in = nn.Linear(width, width)
        self.pooled_in = nn.Linear(width, width)
        self.time = nn.Sequential(nn.Linear(256, width), nn.SiLU(), nn.Linear(width, width))
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.unpatch = nn.Linear(width, inside)
        nn.init.zeros_(self.unpatch.weight)
        nn.init.zeros_(self.unpatch.bias)
        self.register_buffer("frequencies", torch.exp(-math.log(10000) * torch.arange(128) / 128), persistent=False)

    def positions(self, rows: int, columns: int):
        grid = resized(self.position.T.view(1, -1, self.side, self.side), rows, columns)
        return grid.flatten(2)[0].T

    def forward(self, latents, t, text):
        height, width = latents.shape[2], latents.shape[3]
        rows, columns = height // PATCH, width // PATCH
        sketch = None if self.sketch is None else resized(self.sketch(text), height, width)
        seen = latents if sketch is None else torch.cat([latents, sketch], 1)
        x = self.patch(F.pixel_unshuffle(seen, PATCH).flatten(2).transpose(1, 2)) + self.positions(rows, columns)
        gathered = self.gathered(text)
        angles = t[:, None] * 1000 * self.frequencies
        condition = F.silu(self.time(torch.cat([angles.cos(), angles.sin()], 1)) + self.pooled_in(gathered[:, 0]))
        x = torch.cat([x, self.text_in(gathered[:, 1:])], 1)
        for block in self.blocks:
            x = block(x, condition)
        out = self.unpatch(self.norm(x[:, : rows * columns])).transpose(1, 2).unflatten(2, (rows, columns))
        velocity = F.pixel_shuffle(out, PATCH)
        return velocity if sketch is None else velocity + expected_velocity(latents, t, sketch, self.sketch_error)


def resized(grid, height: int, width: int):
    """Resizes positions to another size. Always used while a graph for all sizes is traced."""
    if not torch.jit.is_tracing() and grid.shape[2:] == (height, width):
        return grid
    return F.interpolate(grid, (height, width), mode="bilinear", align_corners=False)


class Model(nn.Module):
    """Text encoder and flow transformer, which are trained together."""

    def __init__(self, vocabulary: int, end: int, width: int, depth: int, heads: int, text_layers: int, queries: int, sketch: int = 0, sketch_error: float = 0.02):
        super().__init__()
        self.text = TextEncoder(vocabulary, width, heads, text_layers, end)
        self.flow = FlowTransformer(width, depth, heads, queries, sketch, sketch_error)

    def forward(self, latents, t, ids):
        return self.flow(latents, t, self.text(ids))
