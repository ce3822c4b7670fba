"""Computes the attention in the middle of a UNet, and self-attention guidance with it. Writes sag.json.

    python sag.py

Uses the graph of export.py.
"""

import json

import torch
from torch.nn.functional import conv2d, interpolate, pad

from from_onnx import HERE, rounded, unet

TIMESTEP, CFG, SCALE, BLUR = 321, 4.0, 0.75, 1.5


def as_stored(*shape):
    return (torch.randn(*shape) * 1e4).round() / 1e4


class Storing:
    """Attention by its definition, which stores its weights."""

    def __call__(self, attn, hidden_states, encoder_hidden_states=None, **rest):
        q, k, v = (attn.head_to_batch_dim(part(hidden_states)) for part in (attn.to_q, attn.to_k, attn.to_v))
        weights = (q @ k.transpose(1, 2) * attn.scale).softmax(-1)
        self.weights = weights.unflatten(0, (hidden_states.shape[0], attn.heads))
        return attn.to_out[0](attn.batch_to_head_dim(weights @ v)) / attn.rescale_output_factor


def blurred(latent):
    at = torch.arange(-4.0, 5.0)
    bell = torch.exp(-(at / BLUR) ** 2 / 2)
    bell = bell / bell.sum()
    kernel = torch.outer(bell, bell).expand(latent.shape[1], 1, 9, 9)
    return conv2d(pad(latent, (4, 4, 4, 4), mode="reflect"), kernel, groups=latent.shape[1])


def main():
    torch.manual_seed(3)
    network, storing = unet(), Storing()
    network.mid_block.attentions[0].transformer_blocks[0].attn1.set_processor(storing)
    betas = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
    signal = (1 - betas).cumprod(0)[TIMESTEP]
    sigma = float(((1 - signal) / signal) ** 0.5)
    x, text, other = as_stored(2, 4, 8, 6) * sigma, as_stored(1, 5, 6), as_stored(1, 5, 6)

    def clean(x, text):
        noise = network(x / (sigma**2 + 1) ** 0.5, torch.tensor([TIMESTEP]), text.repeat(2, 1, 1)).sample
        return x - sigma * noise

    cond, uncond = clean(x, text), clean(x, other)
    attention_map = storing.weights.mean(1).sum(1)
    mask = (attention_map > 1).float().reshape(2, 1, 4, 3)
    mask = interpolate(mask, (8, 6))
    degraded = blurred(uncond) * mask + uncond * (1 - mask)
    plain = uncond + CFG * (cond - uncond)
    guided = plain + SCALE * (degraded - clean(degraded + x - uncond, other))
    assert 0.1 < mask.mean() < 0.9 and (guided - plain).abs().max() > 1e-2
    # Values near the threshold would depend on rounding.
    assert (attention_map - 1).abs().min() > 1e-5
    answers = {"x": x, "text": text, "other": other, "map": attention_map, "plain": plain, "guided": guided}
    settings = {"sigma": sigma, "timestep": TIMESTEP, "cfg": CFG, "scale": SCALE, "blur": BLUR}
    (HERE / "sag.json").write_text(json.dumps(settings | {name: rounded(tensor) for name, tensor in answers.items()}) + "\n")


with torch.no_grad():
    main()
