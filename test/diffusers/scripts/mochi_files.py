"""Computes answers of small networks of Mochi with diffusers.

    python mochi_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py.
"""

import re
import sys

import torch
from weight_files import main, published, weights_for


def swap(layer):
    """The other half of the rows comes first: the original files and diffusers differ in the order."""
    layer.weight.copy_(torch.cat(layer.weight.chunk(2)[::-1]))
    if layer.bias is not None:
        layer.bias.copy_(torch.cat(layer.bias.chunk(2)[::-1]))


def network_names(key):
    joint = re.match(r"transformer_blocks\.(\d+)\.attn1\.(to|add)_([qkv])(_proj)?\.(\w+)$", key)
    if joint:
        kind = "y" if joint[2] == "add" else "x"
        return f"blocks.{joint[1]}.attn.qkv_{kind}.{joint[5]}", "qkv".index(joint[3]), 3
    for name, other in (
        ("transformer_blocks", "blocks"), ("norm1_context.linear_1", "mod_y"), ("norm1_context.linear", "mod_y"),
        ("norm1.linear", "mod_x"), ("attn1.norm_added_q", "attn.q_norm_y"), ("attn1.norm_added_k", "attn.k_norm_y"),
        ("attn1.norm_q", "attn.q_norm_x"), ("attn1.norm_k", "attn.k_norm_x"), ("attn1.to_out.0", "attn.proj_x"),
        ("attn1.to_add_out", "attn.proj_y"), ("ff_context.net.0.proj", "mlp_y.w1"), ("ff_context.net.2", "mlp_y.w2"),
        ("ff.net.0.proj", "mlp_x.w1"), ("ff.net.2", "mlp_x.w2"), ("patch_embed", "x_embedder"),
        ("time_embed.timestep_embedder.linear_1", "t_embedder.mlp.0"), ("time_embed.timestep_embedder.linear_2", "t_embedder.mlp.2"),
        ("time_embed.pooler", "t5_y_embedder"), ("time_embed.caption_proj", "t5_yproj"), ("norm_out.linear", "final_layer.mod"),
        ("proj_out", "final_layer.linear"),
    ):
        key = key.replace(name, other)
    return key


def mochi():
    from diffusers import MochiTransformer3DModel

    module = MochiTransformer3DModel(
        num_attention_heads=2, attention_head_dim=8, num_layers=2, pooled_projection_dim=8, in_channels=12, text_embed_dim=16,
    )
    shapes, load = published(module, network_names)
    inputs = {"x": [1, 12, 2, 4, 6], "text": [1, 5, 16]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    swap(module.norm_out.linear)
    for name, part in module.named_modules():
        if name.endswith("net.0.proj"):
            swap(part)

    def answer(noise, seen):
        mask = torch.tensor([[True] * seen + [False] * (5 - seen)])
        # The network counts the share of the video. Samplers take the opposite of its prediction.
        times = torch.tensor([1000 * (1 - noise)])
        return -module(weights["x"], weights["text"], times, mask, return_dict=False)[0]

    return shapes, inputs, {"all tokens": answer(0.75, 5), "three tokens": answer(0.25, 3)}


RESIDUAL = {"norm1.norm_layer": "stack.0", "conv1.conv": "stack.2", "norm2.norm_layer": "stack.3", "conv2.conv": "stack.5"}
LAYERS = (1, 1, 4, 1, 1)


def layer(rest, place):
    """A residual layer, its norm or its attention. `place` gives its name by its number."""
    kind, number, rest = rest.split(".", 2)
    prefix = place(int(number))
    if kind == "resnets":
        module, parameter = rest.rsplit(".", 1)
        return f"{prefix}.{RESIDUAL[module]}.{parameter}"
    if kind == "norms":
        return f"{prefix}.attn_block.norm.{rest.removeprefix('norm_layer.')}"
    if rest.startswith("to_out.0."):
        return f"{prefix}.attn_block.attn.out.{rest.removeprefix('to_out.0.')}"
    return f"{prefix}.attn_block.attn.qkv.weight", "qkv".index(rest[3]), 3


def vae_names(key):
    part, module, rest = key.split(".", 2)
    if part == "encoder":
        before = 1 + LAYERS[0]
        if module == "block_in":
            return layer(rest, lambda number: f"encoder.layers.{1 + number}")
        if module == "block_out":
            return layer(rest, lambda number: f"encoder.layers.{before + 3 + number}")
        if module == "down_blocks":
            level, rest = rest.split(".", 1)
            prefix = f"encoder.layers.{before + int(level)}.layers"
            if rest.startswith("conv_in.conv."):
                return f"{prefix}.0.{rest.removeprefix('conv_in.conv.')}"
            return layer(rest, lambda number: f"{prefix}.{1 + number}")
        names = {"proj_in": "layers.0", "norm_out": "output_norm", "proj_out": "output_proj"}
        return f"encoder.{names[module]}.{rest.removeprefix('norm_layer.')}"
    if module == "block_in":
        return layer(rest, lambda number: f"decoder.blocks.0.{1 + number}")
    if module == "block_out":
        return layer(rest, lambda number: f"decoder.blocks.4.{number}")
    if module == "up_blocks":
        level, rest = rest.split(".", 1)
        prefix = f"decoder.blocks.{1 + int(level)}"
        return f"{prefix}.{rest}" if rest.startswith("proj.") else layer(rest, lambda number: f"{prefix}.blocks.{number}")
    return f"decoder.{'blocks.0.0' if module == 'conv_in' else 'output_proj'}.{rest}"


def mochi_vae():
    from diffusers import AutoencoderKLMochi

    module = AutoencoderKLMochi(
        encoder_block_out_channels=(32, 64, 32, 64), decoder_block_out_channels=(32, 64, 32, 64), layers_per_block=LAYERS,
    )

    def without_first(block, count):
        forward = block.forward
        block.forward = lambda *inputs, **others: (lambda x, cache: (x[:, :, count:], cache))(*forward(*inputs, **others))

    # The original decoder leaves out frames after each level, and diffusers at the end.
    for block, frames in zip(module.decoder.up_blocks, (3, 2, 1)):
        without_first(block, frames - 1)
    # In ComfyUI each frame sees all others.
    for part in module.encoder.modules():
        if hasattr(part, "is_causal"):
            part.is_causal = False
    shapes, load = published(module, vae_names)
    inputs = {"video": [1, 3, 7, 8, 16], "latents": [1, 12, 2, 1, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    encoded = module.encoder(weights["video"])[0].chunk(2, dim=1)[0]
    return shapes, inputs, {"video encoded": encoded, "latents decoded": module.decoder(weights["latents"])[0]}


FAMILIES = {"mochi": mochi, "mochi_vae": mochi_vae}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
