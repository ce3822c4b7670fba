"""Computes answers of USO's style projector with torch, and of a small Flux with its tokens with diffusers.

    python style_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py.
"""

import sys

import torch
from torch import nn
from weight_files import main, pack, published, weights_for

TOKENS, WIDTH, OUTPUTS = 5, 6, 64


def uso_projector():
    module = nn.Module()
    inner = module.feature_embedder = nn.Module()
    for name in ("high", "mid", "low"):
        setattr(inner, f"{name}_embedding_linear", nn.Sequential(nn.Linear(TOKENS, 3), nn.SiLU()))
        setattr(inner, f"{name}_layer_norm", nn.LayerNorm(WIDTH))
        setattr(inner, f"{name}_projection", nn.Linear(WIDTH, OUTPUTS))
    shapes, load = published(module, lambda key: key)
    inputs = {"states": [1, 3, TOKENS, WIDTH]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def part(name, layer):
        states = weights["states"][:, layer]
        fewer = getattr(inner, f"{name}_embedding_linear")(states.mT).mT
        return getattr(inner, f"{name}_projection")(getattr(inner, f"{name}_layer_norm")(fewer))

    tokens = torch.cat([part("high", 2), part("mid", 1), part("low", 0)], dim=1)
    return shapes, inputs, {"tokens": tokens}


def uso_flux():
    """Tokens before those of the prompt, after its projection."""
    from diffusers import FluxTransformer2DModel

    module = FluxTransformer2DModel(
        in_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=128, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=5, guidance_embeds=True,
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 16, 4, 4], "text": [1, 3, 6], "pooled": [1, 5], "style": [1, 2, 128]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    ids = torch.zeros(2, 2, 3)
    ids[..., 1] += torch.arange(2)[:, None]
    ids[..., 2] += torch.arange(2)[None, :]

    def answer(style):
        projection = module.context_embedder
        del module.context_embedder
        module.context_embedder = lambda text: torch.cat([style, projection(text)], dim=1)
        output = module(
            pack(weights["x"]), weights["text"], weights["pooled"], torch.tensor([0.7]), ids.reshape(4, 3),
            torch.zeros(style.shape[1] + 3, 3), torch.tensor([3.5]), return_dict=False,
        )[0]
        del module.context_embedder
        module.context_embedder = projection
        return output.view(1, 2, 2, 16, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(1, 16, 4, 4)

    return shapes, inputs, {"plain": answer(weights["style"][:, :0]), "styled": answer(weights["style"])}


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], {"uso_projector": uso_projector, "uso_flux": uso_flux})
