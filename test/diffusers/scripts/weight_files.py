"""Computes answers of small networks with the weights of test/support/model-files/weight-files.ts, with diffusers.

    python weight_files.py [NAME ...]

Writes weight_files/NAME.json: the shapes of the weights and inputs under the names of published files, and answers.
"""

import json
import re
import sys
from pathlib import Path

import numpy
import torch

FOLDER = Path(__file__).parent.parent / "weight_files"


def random_weights(shape, seed):
    """As `randomWeights` of weight-files.ts."""
    size = int(numpy.prod(shape))
    state = seed + 1
    numbers = []
    for _ in range(size):
        state = (state * 48271) % 0x7FFFFFFF
        numbers.append(state / 0x7FFFFFFF - 0.5)
    divisor = float(numpy.prod(shape[1:])) ** 0.5
    return torch.tensor(numpy.array(numbers) / divisor, dtype=torch.float32).reshape(shape)


def weights_for(shapes):
    return {name: random_weights(shape, seed) for seed, (name, shape) in enumerate(shapes.items())}


def rounded(tensor):
    return {"shape": list(tensor.shape), "data": [round(float(number), 6) for number in tensor.flatten()]}


def published(module, names):
    """The published names and shapes of a module's weights, and a function that loads weights by them.

    `names` maps a name to that of the file, or to (name, part, parts) for rows of a tensor of the file.
    """
    shapes, places = {}, {}
    for key, value in module.state_dict().items():
        place = names(key)
        if place is None:
            continue
        name, part, parts = place if isinstance(place, tuple) else (place, 0, 1)
        places[key] = (name, part, parts)
        if name in shapes and parts > 1:
            shapes[name][0] += value.shape[0]
        else:
            shapes[name] = list(value.shape)

    def load(weights):
        state, at = {}, {}
        for key, (name, part, parts) in sorted(places.items(), key=lambda item: (item[1][0], item[1][1])):
            rows = module.state_dict()[key].shape[0] if parts > 1 else None
            start = at.get(name, 0)
            state[key] = weights[name] if rows is None else weights[name][start : start + rows]
            at[name] = start + (rows or 0)
        missing, unexpected = module.load_state_dict(state, strict=False)
        assert not unexpected, unexpected
        assert all(names(key) is None for key in missing), missing
        module.eval()

    return shapes, load


def wan_vae():
    from diffusers import AutoencoderKLWan

    module = AutoencoderKLWan(base_dim=4, z_dim=4, dim_mult=[1, 2, 2], num_res_blocks=1, temperal_downsample=[False, True])

    def flat_upsampler(match):
        return f"decoder.upsamples.{int(match[1]) * 3 + (2 if match[2].startswith('upsamplers') else int(match[2][8:]))}."

    def names(key):
        key = re.sub(r"^quant_conv", "conv1", re.sub(r"^post_quant_conv", "conv2", key))
        key = re.sub(r"^encoder\.down_blocks\.", "encoder.downsamples.", key)
        key = re.sub(r"^decoder\.up_blocks\.(\d+)\.(resnets\.\d+|upsamplers\.0)\.", flat_upsampler, key)
        key = key.replace("mid_block.attentions.0.", "middle.1.")
        key = re.sub(r"mid_block\.resnets\.(\d)", lambda match: f"middle.{int(match[1]) * 2}", key)
        key = key.replace(".conv_in.", ".conv1.").replace(".norm_out.", ".head.0.").replace(".conv_out.", ".head.2.")
        for name, number in (("norm1", 0), ("conv1", 2), ("norm2", 3), ("conv2", 6)):
            key = re.sub(rf"((?:samples|middle)\.\d+)\.{name}\.", rf"\1.residual.{number}.", key)
        return key.replace(".conv_shortcut.", ".shortcut.")

    shapes, load = published(module, names)
    inputs = {"image": [1, 3, 1, 8, 12], "video": [1, 3, 5, 8, 8], "latent": [1, 4, 1, 2, 3], "latents": [1, 4, 3, 2, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    answers = {f"{name} encoded": module.encode(weights[name]).latent_dist.mean for name in ("image", "video")}
    # Diffusers clamps what it decodes.
    answers |= {f"{name} decoded": module.decode(weights[name]).sample for name in ("latent", "latents")}
    return shapes, inputs, answers


def qwen_image():
    from diffusers import QwenImageTransformer2DModel

    module = QwenImageTransformer2DModel(
        in_channels=16, out_channels=4, num_layers=2, attention_head_dim=32, num_attention_heads=2,
        joint_attention_dim=24, axes_dims_rope=(4, 14, 14),
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 4, 4, 8], "text": [1, 5, 24], "reference": [1, 4, 4, 4], "second": [1, 4, 2, 4]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def pack(x):
        _, channels, height, width = x.shape
        cells = x.view(1, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 1, 3, 5)
        return cells.reshape(1, height * width // 4, channels * 4)

    def answer(*images):
        tokens = torch.cat([pack(image) for image in images], dim=1)
        sides = [[(1, image.shape[2] // 2, image.shape[3] // 2) for image in images]]
        output = module(tokens, weights["text"], None, torch.tensor([0.75]), sides).sample[:, :8]
        return output.view(1, 2, 4, 4, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(1, 4, 4, 8)

    answers = {"plain": answer(weights["x"]), "edited": answer(weights["x"], weights["reference"], weights["second"])}
    return shapes, inputs, answers


def lumina_names(key):
    """Names of Lumina2Transformer2DModel as published files have them."""
    for name, other in (
        ("time_caption_embed.caption_embedder", "cap_embedder"),
        ("time_caption_embed.timestep_embedder.linear_1", "t_embedder.mlp.0"),
        ("time_caption_embed.timestep_embedder.linear_2", "t_embedder.mlp.2"),
        ("norm_out.linear_1", "final_layer.adaLN_modulation.1"),
        ("norm_out.linear_2", "final_layer.linear"),
        ("norm1.linear", "adaLN_modulation.1"),
        ("norm1.norm.", "attention_norm1."),
        (".norm1.", ".attention_norm1."),
        (".norm2.", ".attention_norm2."),
        (".ffn_attention_norm", ".ffn_norm"),
        (".attn.", ".attention."),
        (".norm_q.", ".q_norm."),
        (".norm_k.", ".k_norm."),
        (".to_out.0.", ".out."),
        (".linear_1.", ".w1."),
        (".linear_2.", ".w2."),
        (".linear_3.", ".w3."),
    ):
        key = key.replace(name, other)
    return joint_projection(key)


def joint_projection(key):
    for part, name in enumerate(("to_q", "to_k", "to_v")):
        if f".attention.{name}." in key:
            return key.replace(f".{name}.", ".qkv."), part, 3
    return key


def lumina2():
    from diffusers import Lumina2Transformer2DModel

    module = Lumina2Transformer2DModel(
        in_channels=4, hidden_size=48, num_layers=1, num_refiner_layers=1, num_attention_heads=4, num_kv_heads=2,
        multiple_of=16, axes_dim_rope=(4, 4, 4), cap_feat_dim=20,
    )
    shapes, load = published(module, lumina_names)
    inputs = {"x": [1, 4, 4, 6], "text": [1, 5, 20]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    mask = torch.ones(1, 5, dtype=torch.int64)
    # The pipeline inverts the time and the output of this network.
    output = -module(weights["x"], torch.tensor([1 - 0.75]), weights["text"], mask).sample
    return shapes, inputs, {"plain": output}


def z_image():
    from diffusers import ZImageTransformer2DModel

    module = ZImageTransformer2DModel(
        in_channels=4, dim=32, n_layers=1, n_refiner_layers=1, n_heads=2, n_kv_heads=2, cap_feat_dim=20,
        axes_dims=[4, 6, 6], axes_lens=[128, 32, 32],
    )

    def names(key):
        key = key.replace("all_x_embedder.2-1.", "x_embedder.").replace("all_final_layer.2-1.", "final_layer.")
        for name, other in ((".norm_q.", ".q_norm."), (".norm_k.", ".k_norm."), (".to_out.0.", ".out.")):
            key = key.replace(name, other)
        return joint_projection(key)

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 4, 6], "text": [1, 5, 20], "long": [1, 64, 20]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # The pipeline inverts the time and the output of this network, too.
    image = [weights["x"][0].unsqueeze(1)]

    def answer(text):
        return -module(image, torch.tensor([1 - 0.75]), [weights[text][0]]).sample[0].transpose(0, 1)

    return shapes, inputs, {"plain": answer("text"), "long": answer("long")}


def pixart_alpha():
    from diffusers import PixArtTransformer2DModel

    module = PixArtTransformer2DModel(
        num_attention_heads=16, attention_head_dim=6, num_layers=1, cross_attention_dim=96, sample_size=64,
        interpolation_scale=1, use_additional_conditions=True, caption_channels=20,
    )

    def names(key):
        for name, other in (
            (r"^scale_shift_table", "final_layer.scale_shift_table"),
            (r"^proj_out\.", "final_layer.linear."),
            (r"^pos_embed\.proj", "x_embedder.proj"),
            (r"^adaln_single\.linear", "t_block.1"),
            (r"^adaln_single\.emb\.timestep", "t"),
            (r"^adaln_single\.emb\.resolution", "csize"),
            (r"^adaln_single\.emb\.aspect_ratio", "ar"),
            (r"^caption_projection\.linear_", "y_embedder.y_proj.fc"),
            (r"_embedder\.linear_1", "_embedder.mlp.0"),
            (r"_embedder\.linear_2", "_embedder.mlp.2"),
            (r"^transformer_blocks", "blocks"),
            (r"attn1\.to_out\.0", "attn.proj"),
            (r"attn2\.to_out\.0", "cross_attn.proj"),
            (r"attn2\.to_q", "cross_attn.q_linear"),
            (r"ff\.net\.0\.proj", "mlp.fc1"),
            (r"ff\.net\.2", "mlp.fc2"),
        ):
            key = re.sub(name, other, key)
        for part, name in enumerate(("to_q", "to_k", "to_v")):
            if f".attn1.{name}." in key:
                return key.replace(f".attn1.{name}.", ".attn.qkv."), part, 3
            if f".attn2.{name}." in key:
                return key.replace(f".attn2.{name}.", ".cross_attn.kv_linear."), part - 1, 2
        return key

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 4, 8], "text": [1, 5, 20]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(height, width):
        sizes = {"resolution": torch.tensor([[height, width]]), "aspect_ratio": torch.tensor([[height / width]])}
        output = module(weights["x"], weights["text"], torch.tensor([100]), added_cond_kwargs=sizes).sample
        return output[:, :4]

    answers = {"plain": answer(32.0, 64.0), "sized": answer(512.0, 256.0)}
    return shapes, inputs, answers


def hunyuan_dit():
    from diffusers import HunyuanDiT2DModel
    from diffusers.models.embeddings import get_2d_rotary_pos_embed
    from diffusers.pipelines.hunyuandit.pipeline_hunyuandit import get_resize_crop_region_for_grid

    module = HunyuanDiT2DModel(
        num_attention_heads=2, attention_head_dim=16, in_channels=4, patch_size=2, activation_fn="gelu-approximate",
        sample_size=32, hidden_size=32, num_layers=4, mlp_ratio=2, cross_attention_dim=24, cross_attention_dim_t5=16,
        pooled_projection_dim=12, text_len=5, text_len_t5=6,
    )

    def names(key):
        for name, other in (
            (r"^time_extra_emb\.timestep_embedder\.linear_1", "t_embedder.mlp.0"),
            (r"^time_extra_emb\.timestep_embedder\.linear_2", "t_embedder.mlp.2"),
            (r"^time_extra_emb\.", ""),
            (r"^text_embedder", "mlp_t5"),
            (r"^(extra_embedder|mlp_t5)\.linear_1", r"\1.0"),
            (r"^(extra_embedder|mlp_t5)\.linear_2", r"\1.2"),
            (r"^pos_embed\.proj", "x_embedder.proj"),
            (r"^norm_out\.linear", "final_layer.adaLN_modulation.1"),
            (r"^proj_out", "final_layer.linear"),
            (r"norm1\.linear", "default_modulation.1"),
            (r"norm1\.norm", "norm1"),
            (r"norm2\.", "mlp_norm."),
            (r"norm3\.", "norm2."),
            (r"mlp_norm\.", "norm3."),
            (r"\.norm_([qk])\.", r".\1_norm."),
            (r"to_out\.0", "out_proj"),
            (r"attn2\.to_q", "attn2.q_proj"),
            (r"ff\.net\.0\.proj", "mlp.fc1"),
            (r"ff\.net\.2", "mlp.fc2"),
        ):
            key = re.sub(name, other, key)
        for part, name in enumerate(("to_q", "to_k", "to_v")):
            if f".attn1.{name}." in key:
                return key.replace(f".{name}.", ".Wqkv."), part, 3
            if f".attn2.{name}." in key:
                return key.replace(f".{name}.", ".kv_proj."), part - 1, 2
        return key

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 4, 6], "text": [1, 5, 24], "t5": [1, 6, 16]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Files have the shift before the scale.
    last = module.norm_out.linear
    last.weight.data, last.bias.data = last.weight.roll(32, 0), last.bias.roll(32, 0)
    turn = get_2d_rotary_pos_embed(16, get_resize_crop_region_for_grid((2, 3), 32), (2, 3), output_type="pt")
    output = module(
        weights["x"], torch.tensor([100.0]), weights["text"], torch.tensor([[1, 1, 1, 0, 0]]), weights["t5"],
        torch.tensor([[1, 1, 0, 0, 0, 0]]), torch.tensor([[512.0, 256, 512, 256, 0, 0]]), torch.tensor([0]), turn,
    ).sample[:, :4]
    return shapes, inputs, {"plain": output}


FAMILIES = {
    "wan_vae": wan_vae,
    "qwen_image": qwen_image,
    "lumina2": lumina2,
    "z_image": z_image,
    "pixart_alpha": pixart_alpha,
    "hunyuan_dit": hunyuan_dit,
}


def main(names):
    FOLDER.mkdir(exist_ok=True)
    for name in names or FAMILIES:
        shapes, inputs, answers = FAMILIES[name]()
        numbers = {"weights": shapes, "inputs": inputs, "answers": {key: rounded(each) for key, each in answers.items()}}
        (FOLDER / f"{name}.json").write_text(json.dumps(numbers) + "\n")
        print(name, len(shapes), "tensors", {key: (float(each.std()), list(each.shape)) for key, each in answers.items()})


with torch.no_grad():
    main(sys.argv[1:])
