"""Computes answers of small networks of Hunyuan3D 2 with diffusers, transformers and torch.

    python shape_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py. Diffusers has no Hunyuan3D: the blocks of its network are those of Flux
without positions, and its decoder of shapes is written here with layers of torch.
"""

import re
import sys

import torch
from torch import nn
from weight_files import main, published, weights_for

HEAD = 64


def flux_names(key):
    """Names of FluxTransformer2DModel as files of Hunyuan3D have them."""
    if key.startswith("time_text_embed.text_embedder"):
        return None
    key = re.sub(r"time_text_embed\.timestep_embedder\.linear_(\d)", lambda m: f"time_in.{('in', 'out')[int(m[1]) - 1]}_layer", key)
    key = re.sub(r"time_text_embed\.guidance_embedder\.linear_(\d)", lambda m: f"guidance_in.{('in', 'out')[int(m[1]) - 1]}_layer", key)
    key = re.sub(r"^x_embedder", "latent_in", re.sub(r"^context_embedder", "cond_in", key))
    if key.startswith("single"):
        key = key.replace("single_transformer_blocks", "single_blocks").replace("norm.linear", "modulation.lin")
        key = key.replace("attn.norm_q.weight", "norm.query_norm.scale").replace("attn.norm_k.weight", "norm.key_norm.scale")
        for part, name in enumerate(("attn.to_q", "attn.to_k", "attn.to_v", "proj_mlp")):
            if f".{name}." in key:
                return key.replace(name, "linear1"), part, 4
        return key.replace("proj_out", "linear2")
    for name, other in (
        ("transformer_blocks", "double_blocks"), ("norm1_context.linear", "txt_mod.lin"), ("norm1.linear", "img_mod.lin"),
        ("ff_context.net.0.proj", "txt_mlp.0"), ("ff_context.net.2", "txt_mlp.2"), ("ff.net.0.proj", "img_mlp.0"),
        ("ff.net.2", "img_mlp.2"), ("attn.to_out.0", "img_attn.proj"), ("attn.to_add_out", "txt_attn.proj"),
        ("attn.norm_added_q.weight", "txt_attn.norm.query_norm.scale"), ("attn.norm_added_k.weight", "txt_attn.norm.key_norm.scale"),
        ("attn.norm_q.weight", "img_attn.norm.query_norm.scale"), ("attn.norm_k.weight", "img_attn.norm.key_norm.scale"),
        ("norm_out.linear", "final_layer.adaLN_modulation.1"),
    ):
        key = key.replace(name, other)
    key = re.sub(r"^proj_out", "final_layer.linear", key)
    for part, letter in enumerate("qkv"):
        for name, other in ((f"attn.to_{letter}", "img_attn.qkv"), (f"attn.add_{letter}_proj", "txt_attn.qkv")):
            if f".{name}." in key:
                return key.replace(name, other), part, 3
    return key


class Sinusoid(nn.Module):
    """Hunyuan3D has 1000 where others have 10000."""

    def forward(self, numbers):
        angles = numbers[:, None].float() * torch.exp(-torch.log(torch.tensor(1000.0)) * torch.arange(128) / 128)
        return torch.cat([angles.cos(), angles.sin()], dim=-1)


def hunyuan3d():
    from diffusers import FluxTransformer2DModel

    module = FluxTransformer2DModel(
        in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=HEAD, num_attention_heads=1,
        joint_attention_dim=6, pooled_projection_dim=2, guidance_embeds=True, axes_dims_rope=(16, 24, 24),
    )
    module.time_text_embed.time_proj = Sinusoid()
    shapes, load = published(module, flux_names)
    inputs = {"x": [1, 4, 5], "seen": [1, 3, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    for parameter in module.time_text_embed.text_embedder.parameters():
        parameter.data.zero_()
    # Files have the shift before the scale.
    last = module.norm_out.linear
    last.weight.data, last.bias.data = last.weight.roll(HEAD, 0), last.bias.roll(HEAD, 0)
    output = module(
        weights["x"].mT, weights["seen"], torch.zeros(1, 2), torch.tensor([1 - 0.7]), torch.zeros(5, 3), torch.zeros(3, 3),
        torch.tensor([5.0]), return_dict=False,
    )[0]
    return shapes, inputs, {"plain": -output.mT}


class Attention(nn.Module):
    """Projections have the parts of a head next to each other."""

    def __init__(self, width, is_cross):
        super().__init__()
        self.width, self.is_cross = width, is_cross
        if is_cross:
            self.c_q, self.c_kv = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * width, bias=False)
        else:
            self.c_qkv = nn.Linear(width, 3 * width, bias=False)
        self.c_proj = nn.Linear(width, width)
        self.attention = nn.ModuleDict({name: nn.LayerNorm(HEAD, eps=1e-6) for name in ("q_norm", "k_norm")})

    def forward(self, x, context=None):
        def heads(tokens, count):
            return tokens.unflatten(-1, (self.width // HEAD, count, HEAD)).permute(3, 0, 2, 1, 4)

        if self.is_cross:
            (query,), (key, value) = heads(self.c_q(x), 1), heads(self.c_kv(context), 2)
        else:
            query, key, value = heads(self.c_qkv(x), 3)
        query, key = self.attention["q_norm"](query), self.attention["k_norm"](key)
        scores = (query @ key.mT / HEAD**0.5).softmax(-1)
        return self.c_proj((scores @ value).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, is_cross=False):
        super().__init__()
        self.is_cross = is_cross
        self.attn = Attention(width, is_cross)
        for name in ("ln_1", "ln_2", "ln_3")[: 3 if is_cross else 2]:
            setattr(self, name, nn.LayerNorm(width, eps=1e-6))
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 2 * width), "c_proj": nn.Linear(2 * width, width)})

    def forward(self, x, context=None):
        x = x + (self.attn(self.ln_1(x), self.ln_2(context)) if self.is_cross else self.attn(self.ln_1(x)))
        last = self.ln_3 if self.is_cross else self.ln_2
        return x + self.mlp["c_proj"](nn.functional.gelu(self.mlp["c_fc"](last(x))))


def shape_vae():
    width = 2 * HEAD
    module = nn.Module()
    module.post_kl = nn.Linear(4, width)
    module.transformer = nn.Module()
    module.transformer.resblocks = nn.ModuleList([Block(width)])
    decoder = module.geo_decoder = nn.Module()
    decoder.query_proj = nn.Linear(51, width)
    decoder.cross_attn_decoder = Block(width, is_cross=True)
    decoder.ln_post = nn.LayerNorm(width)
    decoder.output_proj = nn.Linear(width, 1)
    shapes, load = published(module, lambda key: key)
    inputs = {"latent": [1, 4, 5]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    x = module.post_kl(weights["latent"].mT)
    for block in module.transformer.resblocks:
        x = block(x)
    line = torch.linspace(-1.01, 1.01, 4)
    z, y, x_axis = torch.meshgrid(line, line, line, indexing="ij")
    points = torch.stack([x_axis, y, z], dim=-1).reshape(1, -1, 3)
    angles = (points[..., None] * 2.0 ** torch.arange(8)).flatten(2)
    waves = torch.cat([points, angles.sin(), angles.cos()], dim=-1)
    seen = decoder.cross_attn_decoder(decoder.query_proj(waves), x)
    density = decoder.output_proj(decoder.ln_post(seen))
    return shapes, inputs, {"densities": ((density + 1) / 2).clamp(0, 1).reshape(1, 4, 4, 4)}


def dino_names(key):
    """Names of transformers 5 as files of version 4 have them."""
    if key.endswith("mask_token"):
        return None
    for part, name in enumerate(("mlp.gate_proj", "mlp.up_proj")):
        if name in key:
            return key.replace(name, "mlp.weights_in"), part, 2
    key = re.sub(
        r"attention\.([qkv])_proj",
        lambda match: f"attention.attention.{dict(q='query', k='key', v='value')[match[1]]}",
        key,
    )
    return key.replace("attention.o_proj", "attention.output.dense").replace("mlp.down_proj", "mlp.weights_out")


def dino(is_gated):
    from transformers import Dinov2Config, Dinov2Model

    module = Dinov2Model(Dinov2Config(
        hidden_size=HEAD, num_hidden_layers=2, num_attention_heads=1, mlp_ratio=1, image_size=8, patch_size=4,
        use_swiglu_ffn=is_gated, layer_norm_eps=1e-6,
    ))
    shapes, load = published(module, dino_names)
    inputs = {"image": [1, 8, 8, 3]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Images have 8 bits.
    image = (255 * (weights["image"] + 0.5)).round() / 255
    pixels = (image - torch.tensor([0.485, 0.456, 0.406])) / torch.tensor([0.229, 0.224, 0.225])
    output = module(pixels.permute(0, 3, 1, 2), output_hidden_states=True)
    return shapes, inputs, {
        "last": output.last_hidden_state, "pooled": output.pooler_output, "penultimate": output.hidden_states[-2],
    }


FAMILIES = {
    "hunyuan3d": hunyuan3d, "shape_vae": shape_vae, "dino": lambda: dino(False), "dino_gated": lambda: dino(True),
}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
