"""Computes answers of small networks of the kinds of Qwen-Image that have more than Qwen-Image itself, with diffusers.

    python qwen_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py. Needs torch 2.15 and diffusers 0.42.
"""

import sys

import torch
from diffusers import QwenImageTransformer2DModel
from weight_files import main, pack, published, weights_for

SIZES = dict(
    in_channels=16, out_channels=4, num_layers=2, attention_head_dim=32, num_attention_heads=2,
    joint_attention_dim=24, axes_dims_rope=(4, 14, 14),
)


def answers_of(module, shapes, load, inputs, layers):
    """`layers`: a latent has so many, and the last reference is the image to take apart."""
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(*references):
        images = [*weights["x"].unbind(2), *references] if layers else [weights["x"], *references]
        tokens = torch.cat([pack(image) for image in images], dim=1)
        sides = [[(1, image.shape[2] // 2, image.shape[3] // 2) for image in images]]
        kind = torch.tensor([0]) if layers else None
        output = module(
            tokens, weights["text"], None, torch.tensor([0.75]), sides, additional_t_cond=kind,
        ).sample
        count = max(layers, 1)
        cells = output[:, : 8 * count].view(1, count, 2, 4, 4, 2, 2).permute(0, 4, 1, 2, 5, 3, 6)
        latents = cells.reshape(1, 4, count, 4, 8)
        return latents if layers else latents[:, :, 0]

    return weights, answer


def qwen_edit_2511():
    module = QwenImageTransformer2DModel(zero_cond_t=True, **SIZES)
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 4, 4, 8], "text": [1, 5, 24], "reference": [1, 4, 4, 4], "second": [1, 4, 2, 4]}
    weights, answer = answers_of(module, shapes, load, inputs, 0)
    return shapes, inputs, {"plain": answer(), "edited": answer(weights["reference"], weights["second"])}


def qwen_layered():
    module = QwenImageTransformer2DModel(use_additional_t_cond=True, use_layer3d_rope=True, **SIZES)
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 4, 2, 4, 8], "text": [1, 5, 24], "reference": [1, 4, 4, 8]}
    weights, answer = answers_of(module, shapes, load, inputs, 2)
    return shapes, inputs, {"edited": answer(weights["reference"])}


FAMILIES = {"qwen_edit_2511": qwen_edit_2511, "qwen_layered": qwen_layered}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
