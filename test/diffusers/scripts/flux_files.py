"""Computes answers of small networks that are variants of Flux, with diffusers.

    python flux_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py. Needs torch 2.15 and diffusers 0.42.
"""

import sys

import torch
from weight_files import main, published, weights_for

# Larger gates: attention changes more than the last digits.
GATES = 20
NORM = "final_layer.adaLN_modulation.1"


def flux_names(key):
    """Names of a variant of FluxTransformer2DModel as files in the original layout have them."""
    for name, other in (
        ("single_transformer_blocks", "single_blocks"),
        ("transformer_blocks", "double_blocks"),
        ("time_embed.timestep_embedder", "time_in"),
        ("timestep_embedder", "time_in"),
        ("in.linear_1", "in.in_layer"),
        ("in.linear_2", "in.out_layer"),
        ("context_embedder_norm", "txt_norm"),
        ("context_embedder", "txt_in"),
        ("x_embedder", "img_in"),
        ("norm_out.linear", NORM),
        ("norm1.linear", "img_mod.lin"),
        ("norm1_context.linear", "txt_mod.lin"),
        (".norm.linear", ".modulation.lin"),
        ("attn.to_out.0", "img_attn.proj"),
        ("attn.to_add_out", "txt_attn.proj"),
        ("attn.norm_added_q.weight", "txt_attn.norm.query_norm.scale"),
        ("attn.norm_added_k.weight", "txt_attn.norm.key_norm.scale"),
        ("ff.net", "img_mlp"),
        ("ff_context.net", "txt_mlp"),
        ("mlp.0.proj", "mlp.0"),
    ):
        key = key.replace(name, other)
    is_single = key.startswith("single")
    key = key.replace("proj_out", "linear2" if is_single else "final_layer.linear")
    for part, name in (("q", "query"), ("k", "key")):
        key = key.replace(f"attn.norm_{part}.weight", f"{'' if is_single else 'img_attn.'}norm.{name}_norm.scale")
    projections = [f"attn.to_{part}." for part in "qkv"]
    if is_single:
        for part, name in enumerate([*projections, "proj_mlp."]):
            if name in key:
                return key.replace(name, "linear1."), part, 4
    for part, (image, text) in enumerate(zip(projections, [f"attn.add_{part}_proj." for part in "qkv"])):
        for name, stream in ((image, "img"), (text, "txt")):
            if name in key:
                return key.replace(name, f"{stream}_attn.qkv."), part, 3
    return key


def ids(height, width, first=0, offset=0):
    return torch.cartesian_prod(
        torch.tensor([first]), torch.arange(height // 2) + offset, torch.arange(width // 2) + offset,
    ).float()


def pack(latent):
    batch, channels, height, width = latent.shape
    cells = latent.view(batch, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 1, 3, 5)
    return cells.reshape(batch, height * width // 4, channels * 4)


def unpack(tokens, height, width):
    cells = tokens[:, : height * width // 4].view(1, height // 2, width // 2, -1, 2, 2)
    return cells.permute(0, 3, 1, 4, 2, 5).reshape(1, -1, height, width)


def adapted(weights):
    """The weights as the modules of diffusers take them: the last norm has scale and shift in another order."""
    changed = {key: value * (GATES if "mod" in key else 1) for key, value in weights.items()}
    for kind in ("weight", "bias"):
        changed[f"{NORM}.{kind}"] = torch.cat(changed[f"{NORM}.{kind}"].chunk(2)[::-1])
    return changed


INPUTS = {"x": [1, 4, 4, 6], "text": [1, 5, 24], "reference": [1, 4, 2, 4]}
SIZES = dict(num_layers=1, num_single_layers=1, attention_head_dim=128, num_attention_heads=1, joint_attention_dim=24)
TEXT_IDS = torch.tensor([[0, place, place] for place in range(5)]).float()


def ovis_image():
    from diffusers import OvisImageTransformer2DModel

    module = OvisImageTransformer2DModel(in_channels=16, out_channels=16, **SIZES)

    def names(key):
        place = flux_names(key)
        return place.replace("mlp.2.", "mlp.down_proj.") if isinstance(place, str) else place

    shapes, load = published(module, names)
    halves = [name for name in shapes if "mlp.0." in name]
    # The original has the halves of the gated layer as two layers.
    parts = lambda name: [name.replace("mlp.0.", f"mlp.{part}_proj.") for part in ("up", "gate")]
    separate = {}
    for name, shape in shapes.items():
        separate |= dict.fromkeys(parts(name), [shape[0] // 2, *shape[1:]]) if name in halves else {name: shape}
    weights = weights_for({**separate, **INPUTS})
    changed = adapted(weights)
    for name in halves:
        changed[name] = torch.cat([changed[part] for part in parts(name)])
    load(changed)
    output = module(pack(weights["x"]), weights["text"], torch.tensor([0.75]), ids(4, 6), TEXT_IDS).sample
    return separate, INPUTS, {"plain": unpack(output, 4, 6)}


def longcat_image():
    from diffusers import LongCatImageTransformer2DModel

    module = LongCatImageTransformer2DModel(in_channels=16, **SIZES)
    shapes, load = published(module, flux_names)
    weights = weights_for({**shapes, **INPUTS})
    load(adapted(weights))

    def answer(*latents):
        # Images have the numbers 1, 2, ... and begin where the text ends.
        tokens = torch.cat([pack(latent) for latent in latents], dim=1)
        places = [ids(*latent.shape[2:], number + 1, 5) for number, latent in enumerate(latents)]
        output = module(tokens, weights["text"], torch.tensor([0.75]), torch.cat(places), TEXT_IDS).sample
        return unpack(output, 4, 6)

    return shapes, INPUTS, {"plain": answer(weights["x"]), "edited": answer(weights["x"], weights["reference"])}


FAMILIES = {"ovis_image": ovis_image, "longcat_image": longcat_image}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
