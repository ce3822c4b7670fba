"""Computes answers of a small OmniGen2 with the blocks of Lumina 2 in diffusers, which has no OmniGen2.

    python omnigen2_files.py

Writes weight_files/omnigen2.json, as weight_files.py. The order of the tokens and their positions are written here.
"""

import sys

import torch
from torch import nn
from weight_files import main, published, weights_for

WIDTH, HEADS, SHARED, HEAD = 72, 3, 1, 24


def rotations(positions):
    """The turns of positions [tokens, 3], as complex numbers [1, tokens, half of a head]."""
    axis = HEAD // 3
    frequencies = 10000.0 ** (-torch.arange(0, axis, 2) / axis)
    angles = torch.cat([positions[:, at : at + 1] * frequencies for at in range(3)], dim=-1)
    return torch.polar(torch.ones_like(angles), angles)[None]


def grid(rows, columns, layer):
    places = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).float()
    return torch.cat([torch.full((len(places), 1), float(layer)), places], dim=-1)


def tokens(latent):
    _, channels, height, width = latent.shape
    cells = latent.reshape(1, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 3, 5, 1)
    return cells.reshape(1, height * width // 4, 4 * channels)


def image(tokens, channels, height, width):
    cells = tokens.reshape(1, height // 2, width // 2, 2, 2, channels).permute(0, 5, 1, 3, 2, 4)
    return cells.reshape(1, channels, height, width)


def omnigen2():
    from diffusers.models.normalization import LuminaLayerNormContinuous
    from diffusers.models.transformers.transformer_lumina2 import (
        Lumina2CombinedTimestepCaptionEmbedding,
        Lumina2TransformerBlock,
    )

    def blocks(count, modulation):
        options = {"multiple_of": 8, "ffn_dim_multiplier": 0.1, "norm_eps": 1e-5}
        return nn.ModuleList(
            [Lumina2TransformerBlock(WIDTH, HEADS, SHARED, modulation=modulation, **options) for _ in range(count)]
        )

    module = nn.Module()
    module.x_embedder, module.ref_image_patch_embedder = nn.Linear(16, WIDTH), nn.Linear(16, WIDTH)
    module.time_caption_embed = Lumina2CombinedTimestepCaptionEmbedding(hidden_size=WIDTH, cap_feat_dim=6)
    module.noise_refiner, module.ref_image_refiner = blocks(1, True), blocks(1, True)
    module.context_refiner, module.layers = blocks(1, False), blocks(2, True)
    module.norm_out = LuminaLayerNormContinuous(WIDTH, WIDTH, elementwise_affine=False, eps=1e-6, out_dim=16)
    module.image_index_embedding = nn.Parameter(torch.empty(5, WIDTH))
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 4, 4, 6], "text": [1, 3, 6], "first": [1, 4, 2, 4], "second": [1, 4, 4, 4]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(references):
        time = torch.tensor([1000 * (1 - 0.7)])
        temb, text = module.time_caption_embed(weights["text"], time, weights["text"])
        text_places = torch.arange(3.0)[:, None].expand(3, 3)
        text_turn = rotations(text_places)
        for each in module.context_refiner:
            text = each(text, None, text_turn)
        layer, streams, places = 3, [text], [text_places]
        if references:
            parts, own = [], []
            for at, latent in enumerate(references):
                rows, columns = latent.shape[2] // 2, latent.shape[3] // 2
                parts.append(module.ref_image_patch_embedder(tokens(latent)) + module.image_index_embedding[at])
                own.append(grid(rows, columns, layer))
                layer += max(rows, columns)
            stream = torch.cat(parts, dim=1)
            for each in module.ref_image_refiner:
                stream = each(stream, None, rotations(torch.cat(own)), temb)
            streams.append(stream)
            places.extend(own)
        stream, own = module.x_embedder(tokens(weights["x"])), grid(2, 3, layer)
        for each in module.noise_refiner:
            stream = each(stream, None, rotations(own), temb)
        everything = torch.cat([*streams, stream], dim=1)
        turn = rotations(torch.cat([*places, own]))
        for each in module.layers:
            everything = each(everything, None, turn, temb)
        return -image(module.norm_out(everything[:, -6:], temb), 4, 4, 6)

    return shapes, inputs, {"plain": answer([]), "edited": answer([weights["first"], weights["second"]])}


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], {"omnigen2": omnigen2})
