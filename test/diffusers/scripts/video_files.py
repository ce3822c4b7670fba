"""Computes answers of small networks of videos, as weight_files.py does for those of images.

    python video_files.py [NAME ...]

Writes weight_files/NAME.json.
"""

import re
import sys

import torch
from weight_files import main, published, weights_for

RESIDUAL = {"norm1": "in_layers.0", "conv1": "in_layers.2", "time_emb_proj": "emb_layers.1", "norm2": "out_layers.0",
            "conv2": "out_layers.3", "conv_shortcut": "skip_connection"}


def residual(rest):
    """The name inside of a residual block over images and frames."""
    part, name = rest.split(".", 1)
    if part == "time_mixer":
        return f"time_mixer.{name}"
    layer, parameter = name.rsplit(".", 1)
    return ("time_stack." if part == "temporal_res_block" else "") + f"{RESIDUAL[layer]}.{parameter}"


def transformer(rest):
    rest = re.sub(r"^temporal_transformer_blocks\.", "time_stack.", rest)
    return rest.replace("time_pos_embed.linear_1.", "time_pos_embed.0.").replace("time_pos_embed.linear_2.", "time_pos_embed.2.")


def unet_names(layers):
    """Names of a UNet with `layers` residual blocks in each level on the way down."""
    outside = {"conv_in": "input_blocks.0.0", "time_embedding.linear_1": "time_embed.0", "time_embedding.linear_2": "time_embed.2",
               "add_embedding.linear_1": "label_emb.0.0", "add_embedding.linear_2": "label_emb.0.2",
               "conv_norm_out": "out.0", "conv_out": "out.2"}

    def names(key):
        module, parameter = key.rsplit(".", 1)
        if module in outside:
            return f"{outside[module]}.{parameter}"
        match = re.match(r"(down|up)_blocks\.(\d+)\.(resnets|attentions|downsamplers|upsamplers)\.(\d+)\.(.+)", key)
        if not match:
            kind, number, rest = re.match(r"mid_block\.(resnets|attentions)\.(\d+)\.(.+)", key).groups()
            if kind == "attentions":
                return f"middle_block.1.{transformer(rest)}"
            return f"middle_block.{int(number) * 2}.{residual(rest)}"
        way, level, kind, number, rest = match.groups()
        level, number = int(level), int(number)
        if way == "down":
            block = 1 + level * (layers + 1) + (layers if kind == "downsamplers" else number)
            prefix = f"input_blocks.{block}"
        else:
            block = level * (layers + 1) + (layers if kind == "upsamplers" else number)
            prefix = f"output_blocks.{block}"
        if kind == "resnets":
            return f"{prefix}.0.{residual(rest)}"
        if kind == "attentions":
            return f"{prefix}.1.{transformer(rest)}"
        if kind == "downsamplers":
            return f"{prefix}.0.op.{rest.removeprefix('conv.')}"
        # The first level of this network has no transformers.
        return f"{prefix}.1.{rest}"

    return names


def video_unet():
    from diffusers import UNetSpatioTemporalConditionModel

    module = UNetSpatioTemporalConditionModel(
        in_channels=8, out_channels=4, block_out_channels=(32, 64), addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=24, layers_per_block=1, cross_attention_dim=16,
        transformer_layers_per_block=1, num_attention_heads=(2, 4), num_frames=3,
        down_block_types=("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"),
        up_block_types=("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"),
    )
    for name, part in module.named_modules():
        # The original network has the same small number in all norms but those before transformers.
        if isinstance(part, torch.nn.GroupNorm) and not re.search(r"attentions\.\d+\.norm$", name):
            part.eps = 1e-5
    shapes, load = published(module, unet_names(1))
    inputs = {"x": [3, 8, 4, 6], "text": [1, 1, 16], "labels": [1, 24]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # The labels stand for embedded numbers.
    labels = weights["labels"]
    module.add_time_proj.forward = lambda _: labels.reshape(3, 8)
    output = module(
        weights["x"][None], torch.tensor(0.3), weights["text"], added_time_ids=torch.zeros(1, 3),
    ).sample[0]
    return shapes, inputs, {"plain": output}


def video_decoder():
    from diffusers.models.autoencoders.autoencoder_kl_temporal_decoder import TemporalDecoder

    module = TemporalDecoder(in_channels=4, out_channels=3, block_out_channels=(32, 64), layers_per_block=2)
    block = {"norm1": "norm1", "conv1": "conv1", "norm2": "norm2", "conv2": "conv2", "conv_shortcut": "nin_shortcut"}

    def names(key):
        key = key.replace("conv_norm_out.", "norm_out.").replace("time_conv_out.", "conv_out.time_mix_conv.")
        attention = re.match(r"mid_block\.attentions\.0\.(.+)$", key)
        if attention:
            rest = attention[1].replace("group_norm.", "norm.").replace("to_out.0.", "proj_out.")
            return "decoder.mid.attn_1." + re.sub(r"^to_([qkv])\.", r"\1.", rest)
        key = re.sub(r"^mid_block\.resnets\.(\d)\.", lambda match: f"mid.block_{int(match[1]) + 1}.", key)
        key = re.sub(r"^up_blocks\.(\d)\.resnets\.(\d)\.", lambda match: f"up.{1 - int(match[1])}.block.{match[2]}.", key)
        key = re.sub(r"^up_blocks\.(\d)\.upsamplers\.0\.", lambda match: f"up.{1 - int(match[1])}.upsample.", key)
        key = key.replace("time_mixer.mix_factor", "mix_factor")
        key = re.sub(r"spatial_res_block\.(\w+)\.", lambda match: f"{block[match[1]]}.", key)
        key = re.sub(r"temporal_res_block\.(\w+)\.", lambda match: f"time_stack.{RESIDUAL[match[1]]}.", key)
        return f"decoder.{key}"

    shapes, load = published(module, names)
    inputs = {"latent": [3, 4, 4, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    return shapes, inputs, {"plain": module(weights["latent"], torch.zeros(1, 3), num_frames=3)}


FAMILIES = {"video_unet": video_unet, "video_decoder": video_decoder}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
