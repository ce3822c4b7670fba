"""Computes answers of a small Qwen-Image with control nets of DiffSynth between its blocks, with diffusers.

    python block_control.py

Writes weight_files/block_control.json, as weight_files.py. `edges.` and `repaint.` are the nets.
"""

import sys

import torch
from weight_files import main, pack, published, weights_for

# The first four channels of the latents.
MEANS = torch.tensor([-0.7571, -0.7089, -0.9113, 0.1075]).view(1, 4, 1, 1)
DEVIATIONS = torch.tensor([2.8184, 1.4541, 2.3275, 2.6558]).view(1, 4, 1, 1)
WIDTH = 64


def net_shapes(prefix, features):
    shapes = {f"{prefix}.img_in.weight": [WIDTH, features], f"{prefix}.img_in.bias": [WIDTH]}
    for block in range(2):
        name = f"{prefix}.controlnet_blocks.{block}"
        shapes |= {f"{name}.x_rms.weight": [WIDTH], f"{name}.y_rms.weight": [WIDTH]}
        for layer in ("input_proj", "output_proj"):
            shapes |= {f"{name}.{layer}.weight": [WIDTH, WIDTH], f"{name}.{layer}.bias": [WIDTH]}
    return shapes


def block_control():
    from diffusers import QwenImageTransformer2DModel

    module = QwenImageTransformer2DModel(
        in_channels=16, out_channels=4, num_layers=2, attention_head_dim=32, num_attention_heads=2,
        joint_attention_dim=24, axes_dims_rope=(4, 14, 14),
    )
    base, load = published(module, lambda key: key)
    shapes = {**base, **net_shapes("edges", 16), **net_shapes("repaint", 20)}
    inputs = {"x": [1, 4, 4, 8], "text": [1, 5, 24], "reference": [1, 4, 4, 4], "hint": [1, 4, 4, 8]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    nets = []

    def linear(name, x):
        return torch.nn.functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(name, x):
        return torch.nn.functional.rms_norm(x, (WIDTH,), weights[f"{name}.weight"], 1e-6)

    def follow(block):
        def hook(_, __, output):
            text, image = output
            for prefix, hint, strength in nets:
                name = f"{prefix}.controlnet_blocks.{block}"
                own, hints = image[:, : hint.shape[1]], linear(f"{prefix}.img_in", hint)
                inner = linear(f"{name}.input_proj", norm(f"{name}.x_rms", own) + norm(f"{name}.y_rms", hints))
                change = linear(f"{name}.output_proj", torch.nn.functional.gelu(inner))
                image = torch.cat([own + strength * change, image[:, hint.shape[1] :]], dim=1)
            return text, image

        return hook

    for index, block in enumerate(module.transformer_blocks):
        block.register_forward_hook(follow(index))

    def answer(images, *used):
        nets[:] = used
        tokens = torch.cat([pack(image) for image in images], dim=1)
        sides = [[(1, image.shape[2] // 2, image.shape[3] // 2) for image in images]]
        output = module(tokens, weights["text"], None, torch.tensor([0.75]), sides).sample[:, :8]
        return output.view(1, 2, 4, 4, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(1, 4, 4, 8)

    scaled = (weights["hint"] - MEANS) / DEVIATIONS
    # The right half is repainted.
    given = torch.cat([torch.ones(1, 1, 4, 4), torch.zeros(1, 1, 4, 4)], dim=3)
    edges = ("edges", pack(scaled), 0.5)
    repaint = ("repaint", pack(torch.cat([scaled, given], dim=1)), 1.0)
    whole = ("repaint", pack(torch.cat([scaled, torch.ones(1, 1, 4, 8)], dim=1)), 1.0)
    x, reference = weights["x"], weights["reference"]
    return shapes, inputs, {
        "plain": answer([x]), "edges": answer([x], edges), "repainted": answer([x], repaint), "no mask": answer([x], whole),
        "both, with a reference": answer([x, reference], edges, repaint),
    }


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], {"block_control": block_control})
