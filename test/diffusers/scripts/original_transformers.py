"""Writes what diffusers computes with small transformers whose weights have the names of the original files.

    python original_transformers.py                # writes original_transformers.json to the parent folder

Needs torch and diffusers (written with 2.15 and 0.42). The weights follow from their place and shape, by the generator of
`test/support/model-files/weight-files.ts`. `original-transformers.weights.test.ts` runs the same networks.
"""

import json
import math
from pathlib import Path

import torch
from diffusers import AuraFlowTransformer2DModel, ChromaTransformer2DModel, FluxTransformer2DModel, SD3Transformer2DModel
from diffusers import FluxPipeline
from diffusers.loaders.single_file_utils import (
    convert_auraflow_transformer_checkpoint_to_diffusers,
    convert_sd3_transformer_checkpoint_to_diffusers,
)

HERE = Path(__file__).parent.parent
TEXT_WIDTH, POOLED_WIDTH = 24, 16


def park_miller(shape, seed):
    """Park and Miller, "Random number generators", 1988."""
    inputs, state, numbers = math.prod(shape[1:]), seed + 1, []
    for _ in range(math.prod(shape)):
        state = state * 48271 % 0x7FFFFFFF
        numbers.append((state / 0x7FFFFFFF - 0.5) / math.sqrt(inputs))
    return torch.tensor(numbers, dtype=torch.float32).reshape(shape)


def weights_for(shapes):
    return {name: park_miller(shape, seed) for seed, (name, shape) in enumerate(shapes.items())}


def as_stored(*shape):
    return (torch.randn(*shape) * 1e4).round() / 1e4


def rounded(tensor):
    return {"shape": list(tensor.shape), "data": [round(float(number), 6) for number in tensor.detach().flatten()]}


def linear(name, outputs, inputs, bias=True):
    return {f"{name}.weight": [outputs, inputs]} | ({f"{name}.bias": [outputs]} if bias else {})


def sd3():
    width = 128
    shapes = {
        "pos_embed": [1, 64, width], "x_embedder.proj.weight": [width, 16, 2, 2], "x_embedder.proj.bias": [width],
        **linear("t_embedder.mlp.0", width, 256), **linear("t_embedder.mlp.2", width, width),
        **linear("y_embedder.mlp.0", width, POOLED_WIDTH), **linear("y_embedder.mlp.2", width, width),
        **linear("context_embedder", width, TEXT_WIDTH),
    }

    def attention(name, has_output=True):
        return {
            **linear(f"{name}.qkv", 3 * width, width), f"{name}.ln_q.weight": [64], f"{name}.ln_k.weight": [64],
            **(linear(f"{name}.proj", width, width) if has_output else {}),
        }

    def feed_forward(name):
        return {**linear(f"{name}.fc1", 4 * width, width), **linear(f"{name}.fc2", width, 4 * width)}

    for block in range(3):
        image, text, is_last = f"joint_blocks.{block}.x_block", f"joint_blocks.{block}.context_block", block == 2
        shapes |= {
            **linear(f"{image}.adaLN_modulation.1", (9 if block == 0 else 6) * width, width), **attention(f"{image}.attn"),
            **(attention(f"{image}.attn2") if block == 0 else {}), **feed_forward(f"{image}.mlp"),
            **linear(f"{text}.adaLN_modulation.1", (2 if is_last else 6) * width, width), **attention(f"{text}.attn", not is_last),
            **({} if is_last else feed_forward(f"{text}.mlp")),
        }
    shapes |= {**linear("final_layer.adaLN_modulation.1", 2 * width, width), **linear("final_layer.linear", 64, width)}
    model = SD3Transformer2DModel(
        sample_size=8, patch_size=2, in_channels=16, out_channels=16, num_layers=3, attention_head_dim=64, num_attention_heads=2,
        joint_attention_dim=TEXT_WIDTH, caption_projection_dim=width, pooled_projection_dim=POOLED_WIDTH, pos_embed_max_size=8,
        dual_attention_layers=(0,), qk_norm="rms_norm",
    ).eval()
    model.load_state_dict(convert_sd3_transformer_checkpoint_to_diffusers(weights_for(shapes)))
    x, text, pooled = as_stored(2, 16, 4, 6), as_stored(1, 5, TEXT_WIDTH), as_stored(1, POOLED_WIDTH)
    output = model(x, text.repeat(2, 1, 1), pooled.repeat(2, 1), torch.tensor([400.0, 400.0])).sample
    return {"shapes": shapes, "x": rounded(x), "text": rounded(text), "pooled": rounded(pooled), "timestep": 400, "output": rounded(output)}


def flux_blocks(width, has_modulations):
    shapes = {}
    for part in ["img", "txt"]:
        name = f"double_blocks.0.{part}"
        shapes |= {
            **(linear(f"{name}_mod.lin", 6 * width, width) if has_modulations else {}), **linear(f"{name}_attn.qkv", 3 * width, width),
            f"{name}_attn.norm.query_norm.scale": [128], f"{name}_attn.norm.key_norm.scale": [128],
            **linear(f"{name}_attn.proj", width, width), **linear(f"{name}_mlp.0", 4 * width, width), **linear(f"{name}_mlp.2", width, 4 * width),
        }
    single = "single_blocks.0"
    return shapes | {
        **linear(f"{single}.linear1", 7 * width, width), **linear(f"{single}.linear2", width, 5 * width),
        f"{single}.norm.query_norm.scale": [128], f"{single}.norm.key_norm.scale": [128],
        **(linear(f"{single}.modulation.lin", 3 * width, width) if has_modulations else {}),
    }


def from_flux(weights, width, has_modulations):
    """The names of diffusers, for one block of each kind."""
    double, single = "transformer_blocks.0.", "single_transformer_blocks.0."
    renamed = {
        "img_in": "x_embedder", "txt_in": "context_embedder", "final_layer.linear": "proj_out",
        **{f"{old}_in.{layer}_layer": f"time_text_embed.{new}_embedder.linear_{number}" for old, new in
           [("time", "timestep"), ("vector", "text"), ("guidance", "guidance")] for number, layer in [(1, "in"), (2, "out")]},
        "double_blocks.0.img_mod.lin": double + "norm1.linear", "double_blocks.0.txt_mod.lin": double + "norm1_context.linear",
        "double_blocks.0.img_attn.proj": double + "attn.to_out.0", "double_blocks.0.txt_attn.proj": double + "attn.to_add_out",
        "double_blocks.0.img_mlp.0": double + "ff.net.0.proj", "double_blocks.0.img_mlp.2": double + "ff.net.2",
        "double_blocks.0.txt_mlp.0": double + "ff_context.net.0.proj", "double_blocks.0.txt_mlp.2": double + "ff_context.net.2",
        "single_blocks.0.modulation.lin": single + "norm.linear", "single_blocks.0.linear2": single + "proj_out",
    }
    norms = {
        "double_blocks.0.img_attn.norm.query_norm": double + "attn.norm_q", "double_blocks.0.img_attn.norm.key_norm": double + "attn.norm_k",
        "double_blocks.0.txt_attn.norm.query_norm": double + "attn.norm_added_q", "double_blocks.0.txt_attn.norm.key_norm": double + "attn.norm_added_k",
        "single_blocks.0.norm.query_norm": single + "attn.norm_q", "single_blocks.0.norm.key_norm": single + "attn.norm_k",
    }
    split = {
        "double_blocks.0.img_attn.qkv": [double + f"attn.to_{part}" for part in "qkv"],
        "double_blocks.0.txt_attn.qkv": [double + f"attn.add_{part}_proj" for part in "qkv"],
        "single_blocks.0.linear1": [single + f"attn.to_{part}" for part in "qkv"] + [single + "proj_mlp"],
    }
    found = {}
    for name, tensor in weights.items():
        module, kind = name.rsplit(".", 1)
        if module in split:
            sizes = [width] * 3 + [tensor.shape[0] - 3 * width] * (len(split[module]) - 3)
            found |= {f"{part}.{kind}": rows for part, rows in zip(split[module], tensor.split(sizes))}
        elif module in norms:
            found[f"{norms[module]}.weight"] = tensor
        elif module == "final_layer.adaLN_modulation.1":
            found[f"norm_out.linear.{kind}"] = torch.cat(tensor.chunk(2)[::-1])
        elif module.startswith("distilled_guidance_layer"):
            new = module.replace("in_layer", "linear_1").replace("out_layer", "linear_2")
            found[f"{new}.{kind.replace('scale', 'weight')}"] = tensor
        else:
            found[f"{renamed[module]}.{kind}"] = tensor
    return found


def flux_inputs(height, width, tokens):
    ids = FluxPipeline._prepare_latent_image_ids(1, height // 2, width // 2, "cpu", torch.float32)
    return {"img_ids": ids, "txt_ids": torch.zeros(tokens, 3)}


def flux(channels=16):
    width = 256
    shapes = {
        **linear("img_in", width, channels * 4), **linear("txt_in", width, TEXT_WIDTH),
        **linear("time_in.in_layer", width, 256), **linear("time_in.out_layer", width, width),
        **linear("vector_in.in_layer", width, POOLED_WIDTH), **linear("vector_in.out_layer", width, width),
        **linear("guidance_in.in_layer", width, 256), **linear("guidance_in.out_layer", width, width), **flux_blocks(width, True),
        **linear("final_layer.adaLN_modulation.1", 2 * width, width), **linear("final_layer.linear", 64, width),
    }
    model = FluxTransformer2DModel(
        patch_size=1, in_channels=channels * 4, out_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=128,
        num_attention_heads=2, joint_attention_dim=TEXT_WIDTH, pooled_projection_dim=POOLED_WIDTH, guidance_embeds=True,
    ).eval()
    model.load_state_dict(from_flux(weights_for(shapes), width, True))
    latent, text, pooled = as_stored(1, channels, 4, 6), as_stored(1, 5, TEXT_WIDTH), as_stored(1, POOLED_WIDTH)
    output = model(
        FluxPipeline._pack_latents(latent, 1, channels, 4, 6), text, pooled, torch.tensor([0.4]), guidance=torch.tensor([2.5]),
        **flux_inputs(4, 6, 5),
    ).sample
    answer = FluxPipeline._unpack_latents(output, 32, 48, 8)
    return {
        "shapes": shapes, "x": rounded(latent[:, :16]), "concat": rounded(latent[:, 16:]), "text": rounded(text), "pooled": rounded(pooled),
        "timestep": 0.4, "guidance": 2.5, "output": rounded(answer),
    }


def chroma():
    width, hidden = 256, 32
    guidance = "distilled_guidance_layer"
    shapes = {
        **linear("img_in", width, 64), **linear("txt_in", width, TEXT_WIDTH), **linear(f"{guidance}.in_proj", hidden, 64),
        **{name: shape for layer in range(2) for name, shape in {
            **linear(f"{guidance}.layers.{layer}.in_layer", hidden, hidden), **linear(f"{guidance}.layers.{layer}.out_layer", hidden, hidden),
            f"{guidance}.norms.{layer}.scale": [hidden]}.items()},
        **linear(f"{guidance}.out_proj", width, hidden), **flux_blocks(width, False), **linear("final_layer.linear", 64, width),
    }
    model = ChromaTransformer2DModel(
        patch_size=1, in_channels=64, num_layers=1, num_single_layers=1, attention_head_dim=128, num_attention_heads=2,
        joint_attention_dim=TEXT_WIDTH, approximator_num_channels=64, approximator_hidden_dim=hidden, approximator_layers=2,
    ).eval()
    model.load_state_dict(from_flux(weights_for(shapes), width, False))
    latent, text = as_stored(1, 16, 4, 6), as_stored(1, 5, TEXT_WIDTH)
    output = model(FluxPipeline._pack_latents(latent, 1, 16, 4, 6), text, torch.tensor([0.4]), **flux_inputs(4, 6, 5)).sample
    return {
        "shapes": shapes, "x": rounded(latent), "text": rounded(text), "timestep": 0.4,
        "output": rounded(FluxPipeline._unpack_latents(output, 32, 48, 8)),
    }


def pixel_network(weights, image, tokens, patch, frequencies):
    """The end of Chroma Radiance, which diffusers lacks: the pixels of each patch by a network whose weights its token gives."""
    functional = torch.nn.functional
    (batch, channels, height, width), count = image.shape, tokens.shape[1]
    x = functional.unfold(image, patch, stride=patch).reshape(batch, channels, patch**2, count).permute(0, 3, 2, 1)
    x = x.reshape(batch * count, patch**2, channels)
    place, frequency = torch.linspace(0, 1, patch), torch.arange(frequencies)
    waves = torch.cos(math.pi * place[:, None] * frequency)
    table = torch.einsum("xf,yg->yxfg", waves, waves) / (1 + frequency[:, None] * frequency)
    table = table.reshape(1, patch**2, frequencies**2).repeat(batch * count, 1, 1)
    layer = lambda name, value: functional.linear(value, weights[f"{name}.weight"], weights[f"{name}.bias"])
    norm = lambda name, value: functional.rms_norm(value, value.shape[-1:], weights[f"{name}.scale"], 1e-6)
    x = layer("nerf_image_embedder.embedder.0", torch.cat((x, table), -1))
    pixel, block = x.shape[-1], 0
    while f"nerf_blocks.{block}.norm.scale" in weights:
        gate, value, out = layer(f"nerf_blocks.{block}.param_generator", tokens.reshape(batch * count, -1)).chunk(3, -1)
        shaped = lambda matrix, rows: functional.normalize(matrix.reshape(batch * count, rows, -1), dim=-2)
        seen = norm(f"nerf_blocks.{block}.norm", x)
        hidden = functional.silu(seen @ shaped(gate, pixel)) * (seen @ shaped(value, pixel))
        x, block = x + hidden @ shaped(out, gate.shape[-1] // pixel), block + 1
    x = x.reshape(batch, count, patch**2, pixel).permute(0, 3, 2, 1).reshape(batch, -1, count)
    x = functional.fold(x, (height, width), patch, stride=patch).movedim(1, -1)
    if "nerf_final_layer.norm.scale" in weights:
        return layer("nerf_final_layer.linear", norm("nerf_final_layer.norm", x)).movedim(-1, 1)
    name = "nerf_final_layer_conv"
    x = norm(f"{name}.norm", x).movedim(-1, 1)
    return functional.conv2d(x, weights[f"{name}.conv.weight"], weights[f"{name}.conv.bias"], padding=1)


def radiance(is_convolution):
    width, hidden, patch, pixel, frequencies = 256, 32, 4, 8, 3
    guidance, end = "distilled_guidance_layer", "nerf_final_layer"
    last = {f"{end}_conv.norm.scale": [pixel], f"{end}_conv.conv.weight": [3, pixel, 3, 3], f"{end}_conv.conv.bias": [3]}
    shapes = {
        "img_in_patch.weight": [width, 3, patch, patch], "img_in_patch.bias": [width], **linear("txt_in", width, TEXT_WIDTH),
        **linear(f"{guidance}.in_proj", hidden, 64), **linear(f"{guidance}.layers.0.in_layer", hidden, hidden),
        **linear(f"{guidance}.layers.0.out_layer", hidden, hidden), f"{guidance}.norms.0.scale": [hidden],
        **linear(f"{guidance}.out_proj", width, hidden), **flux_blocks(width, False),
        **linear("nerf_image_embedder.embedder.0", pixel, 3 + frequencies**2),
        **{name: shape for block in range(2) for name, shape in {
            **linear(f"nerf_blocks.{block}.param_generator", 6 * pixel**2, width), f"nerf_blocks.{block}.norm.scale": [pixel]}.items()},
        **(last if is_convolution else {f"{end}.norm.scale": [pixel], **linear(f"{end}.linear", 3, pixel)}),
    }
    model = ChromaTransformer2DModel(
        patch_size=1, in_channels=width, num_layers=1, num_single_layers=1, attention_head_dim=128, num_attention_heads=2,
        joint_attention_dim=TEXT_WIDTH, approximator_num_channels=64, approximator_hidden_dim=hidden, approximator_layers=1,
    ).eval()
    weights = weights_for(shapes)
    blocks = {name: value for name, value in weights.items() if not name.startswith(("nerf", "img_in"))}
    identity = {"x_embedder.weight": torch.eye(width), "x_embedder.bias": torch.zeros(width)}
    unused = {f"proj_out.{kind}": value for kind, value in model.proj_out.state_dict().items()}
    model.load_state_dict(from_flux(blocks, width, False) | identity | unused)
    seen = []
    model.norm_out.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    image, text = as_stored(1, 3, 8, 12), as_stored(1, 5, TEXT_WIDTH)
    patches = torch.nn.functional.conv2d(image, weights["img_in_patch.weight"], weights["img_in_patch.bias"], stride=patch)
    model(patches.flatten(2).transpose(1, 2), text, torch.tensor([0.4]), **flux_inputs(4, 6, 5))
    output = pixel_network(weights, image, seen[0], patch, frequencies)
    return {"shapes": shapes, "x": rounded(image), "text": rounded(text), "timestep": 0.4, "output": rounded(output)}


def auraflow():
    width, inner = 96, 256
    shapes = {
        "register_tokens": [1, 8, width], "positional_encoding": [1, 64, width], **linear("init_x_linear", width, 16),
        **linear("t_embedder.mlp.0", width, 256), **linear("t_embedder.mlp.2", width, width), **linear("cond_seq_linear", width, TEXT_WIDTH, False),
    }

    def feed_forward(name):
        return {f"{name}.c_fc1.weight": [inner, width], f"{name}.c_fc2.weight": [inner, width], f"{name}.c_proj.weight": [width, inner]}

    for block, streams in [("double_layers.0", ["w1", "w2"]), ("single_layers.0", ["w1"])]:
        kinds = ["C", "X"] if len(streams) == 2 else ["CX"]
        shapes |= {f"{block}.mod{kind}.1.weight": [6 * width, width] for kind in kinds}
        shapes |= {f"{block}.attn.{stream}{part}.weight": [width, width] for stream in streams for part in "qkvo"}
        for name in ["mlpC", "mlpX"] if len(streams) == 2 else ["mlp"]:
            shapes |= feed_forward(f"{block}.{name}")
    shapes |= {"final_linear.weight": [16, width], "modF.1.weight": [2 * width, width]}
    model = AuraFlowTransformer2DModel(
        sample_size=8, patch_size=2, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, attention_head_dim=width // 12,
        num_attention_heads=12, joint_attention_dim=TEXT_WIDTH, caption_projection_dim=width, pos_embed_max_size=64,
    ).eval()
    model.load_state_dict(convert_auraflow_transformer_checkpoint_to_diffusers(weights_for(shapes)))
    x, text = as_stored(2, 4, 4, 8), as_stored(1, 5, TEXT_WIDTH)
    output = model(x, text.repeat(2, 1, 1), torch.tensor([0.4, 0.4])).sample
    return {"shapes": shapes, "x": rounded(x), "text": rounded(text), "timestep": 0.4, "output": rounded(output)}


torch.manual_seed(17)
with torch.no_grad():
    answers = {"sd3": sd3(), "flux": flux(), "fill": flux(96), "chroma": chroma(), "auraflow": auraflow()}
    answers |= {"radiance": radiance(False), "radiance_convolution": radiance(True)}
(HERE / "original_transformers.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")
for name, answer in answers.items():
    print(name, torch.tensor(answer["output"]["data"]).std())
