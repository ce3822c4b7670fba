"""Computes answers of small networks of Cosmos with diffusers.

    python cosmos_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py.
"""

import re
import sys
from types import SimpleNamespace

import torch
from weight_files import main, published, weights_for

PARTS = {"1": "self_attn", "2": "cross_attn", "3": "mlp"}


def second_names(key):
    """Names of CosmosTransformer3DModel as files of Cosmos Predict2 have them."""
    key = re.sub(r"\.norm([123])\.linear_", lambda match: f".adaln_modulation_{PARTS[match[1]]}.", key)
    for name, other in (
        ("time_embed.t_embedder", "t_embedder.1"), ("time_embed.norm", "t_embedding_norm"),
        ("norm_out.linear_", "final_layer.adaln_modulation."), ("proj_out", "final_layer.linear"),
        ("patch_embed.proj", "x_embedder.proj.1"), ("transformer_blocks", "blocks"), ("attn1", "self_attn"),
        ("attn2", "cross_attn"), ("to_out.0", "output_proj"), ("norm_q", "q_norm"), ("norm_k", "k_norm"),
        ("ff.net.0.proj", "mlp.layer1"), ("ff.net.2", "mlp.layer2"), ("learnable_pos_embed", "extra_pos_embedder"),
    ):
        key = key.replace(name, other)
    return re.sub(r"\.to_([qkv])\.", r".\1_proj.", key)


def first_names(key):
    """Names of CosmosTransformer3DModel as files of Cosmos 1 have them."""
    part = {"1": 0, "2": 1, "3": 2}
    key = re.sub(r"\.norm([123])\.linear_", lambda match: f".blocks.{part[match[1]]}.adaLN_modulation.", key)
    key = re.sub(r"\.attn([12])\.", lambda match: f".blocks.{part[match[1]]}.block.attn.", key)
    key = re.sub(r"^transformer_blocks\.(\d+)\.", r"blocks.block\1.", key)
    key = re.sub(r"\.norm_([qk])\.", r".to_\1.1.", re.sub(r"\.to_([qkv])\.", r".to_\1.0.", key))
    for name, other in (
        ("time_embed.t_embedder", "t_embedder.1"), ("time_embed.norm", "affline_norm"),
        ("norm_out.linear_", "final_layer.adaLN_modulation."), ("proj_out", "final_layer.linear"),
        ("patch_embed.proj", "x_embedder.proj.1"), ("ff.net.0.proj", "blocks.2.block.layer1"),
        ("ff.net.2", "blocks.2.block.layer2"), ("learnable_pos_embed", "extra_pos_embedder"),
    ):
        key = key.replace(name, other)
    return key


def cosmos(names, **options):
    from diffusers import CosmosTransformer3DModel
    from diffusers.models.normalization import RMSNorm
    from diffusers.models.transformers import transformer_cosmos

    # Masks have the size of the latent. This needs no torchvision.
    transformer_cosmos.transforms = SimpleNamespace(
        functional=SimpleNamespace(resize=lambda mask, *_, **__: mask), InterpolationMode=SimpleNamespace(NEAREST=None),
    )
    module = CosmosTransformer3DModel(
        out_channels=16, num_attention_heads=1, attention_head_dim=128, num_layers=2, mlp_ratio=0.25, text_embed_dim=6,
        adaln_lora_dim=4, max_size=(4, 8, 12), **options,
    )
    # ComfyUI and NVIDIA have a smaller number in the norms of queries and keys.
    for norm in module.modules():
        if isinstance(norm, RMSNorm):
            norm.eps = 1e-6
    shapes, load = published(module, names)
    inputs = {"x": [1, 16, 3, 4, 6], "text": [1, 5, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(times, **others):
        mask = torch.zeros(1, 1, 4, 6)
        return module(weights["x"], times, weights["text"], padding_mask=mask, return_dict=False, **others)[0]

    return shapes, inputs, answer


def cosmos1():
    shapes, inputs, answer = cosmos(first_names, in_channels=16)
    times = torch.tensor([0.7])
    return shapes, inputs, {"plain": answer(times), "slow": answer(times, fps=12)}


def cosmos_predict2():
    shapes, inputs, answer = cosmos(second_names, in_channels=17, rope_scale=(0.8333, 2.0, 2.0), extra_pos_embed_type=None)
    given = torch.zeros(1, 1, 3, 4, 6)
    plain = answer(torch.tensor([0.7]), condition_mask=given)
    given = given.clone()
    given[:, :, :1] = 1
    times = torch.tensor([0.0, 0.7, 0.7]).view(1, 1, 3, 1, 1)
    return shapes, inputs, {"plain": plain, "first frame given": answer(times, condition_mask=given)}


FAMILIES = {"cosmos1": cosmos1, "cosmos_predict2": cosmos_predict2}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
