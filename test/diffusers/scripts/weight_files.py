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


def wan_vae(colors=3):
    from diffusers import AutoencoderKLWan

    module = AutoencoderKLWan(
        base_dim=4, z_dim=4, dim_mult=[1, 2, 2], num_res_blocks=1, temperal_downsample=[False, True],
        in_channels=colors, out_channels=colors,
    )

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
    inputs = {"image": [1, colors, 1, 8, 12], "latent": [1, 4, 1, 2, 3]}
    if colors == 3:
        inputs = {"image": inputs["image"], "video": [1, 3, 5, 8, 8], "latent": inputs["latent"], "latents": [1, 4, 3, 2, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    answers = {
        f"{name} encoded": module.encode(weights[name]).latent_dist.mean for name in ("image", "video") if name in inputs
    }
    # Diffusers clamps what it decodes.
    answers |= {
        f"{name} decoded": module.decode(weights[name]).sample for name in ("latent", "latents") if name in inputs
    }
    return shapes, inputs, answers


def wan22_vae():
    from diffusers import AutoencoderKLWan

    module = AutoencoderKLWan(
        base_dim=4, decoder_base_dim=8, z_dim=6, dim_mult=[1, 2, 2], num_res_blocks=1, temperal_downsample=[False, True],
        is_residual=True, patch_size=2, in_channels=12, out_channels=12, latents_mean=[0] * 6, latents_std=[1] * 6,
    )

    def names(key):
        key = re.sub(r"^quant_conv", "conv1", re.sub(r"^post_quant_conv", "conv2", key))
        for side, steps, count in (("encoder.down", "downsamples", 1), ("decoder.up", "upsamples", 2)):
            key = re.sub(rf"^{side}_blocks\.(\d+)\.resnets\.", rf"{side[:7]}.{steps}.\1.{steps}.", key)
            key = re.sub(rf"^{side}_blocks\.(\d+)\.{steps[:-1]}r\.", rf"{side[:7]}.{steps}.\1.{steps}.{count}.", key)
        key = key.replace("mid_block.attentions.0.", "middle.1.")
        key = re.sub(r"mid_block\.resnets\.(\d)", lambda match: f"middle.{int(match[1]) * 2}", key)
        key = key.replace(".conv_in.", ".conv1.").replace(".norm_out.", ".head.0.").replace(".conv_out.", ".head.2.")
        for name, number in (("norm1", 0), ("conv1", 2), ("norm2", 3), ("conv2", 6)):
            key = re.sub(rf"((?:samples|middle)\.\d+)\.{name}\.", rf"\1.residual.{number}.", key)
        return key.replace(".conv_shortcut.", ".shortcut.")

    shapes, load = published(module, names)
    inputs = {"image": [1, 3, 1, 16, 24], "video": [1, 3, 5, 16, 16], "latent": [1, 6, 1, 2, 3], "latents": [1, 6, 3, 2, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    answers = {f"{name} encoded": module.encode(weights[name]).latent_dist.mean for name in ("image", "video")}
    answers |= {f"{name} decoded": module.decode(weights[name]).sample for name in ("latent", "latents")}
    return shapes, inputs, answers


def wan_names(key):
    """Names of WanTransformer3DModel as published files have them."""
    for name, other in (
        ("condition_embedder.time_embedder.linear_1", "time_embedding.0"),
        ("condition_embedder.time_embedder.linear_2", "time_embedding.2"),
        ("condition_embedder.time_proj", "time_projection.1"),
        ("condition_embedder.text_embedder.linear_1", "text_embedding.0"),
        ("condition_embedder.text_embedder.linear_2", "text_embedding.2"),
        ("condition_embedder.image_embedder.norm1", "img_emb.proj.0"),
        ("condition_embedder.image_embedder.ff.net.0.proj", "img_emb.proj.1"),
        ("condition_embedder.image_embedder.ff.net.2", "img_emb.proj.3"),
        ("condition_embedder.image_embedder.norm2", "img_emb.proj.4"),
        ("condition_embedder.image_embedder.pos_embed", "img_emb.emb_pos"),
        ("norm2.", "norm3."), ("attn1", "self_attn"), ("attn2", "cross_attn"), ("ffn.net.0.proj", "ffn.0"),
        ("ffn.net.2", "ffn.2"), ("norm_added_k.", "norm_k_img."), ("add_k_proj", "k_img"), ("add_v_proj", "v_img"),
        (".to_out.0.", ".o."), (".to_", "."), ("proj_out", "head.head"),
    ):
        key = key.replace(name, other)
    return re.sub(r"^scale_shift_table", "head.modulation", key).replace("scale_shift_table", "modulation")


def wan(image=False):
    from diffusers import WanTransformer3DModel

    module = WanTransformer3DModel(
        num_attention_heads=1, attention_head_dim=128, in_channels=12 if image else 4, out_channels=4, text_dim=6,
        freq_dim=16, ffn_dim=20, num_layers=2, image_dim=10 if image else None, added_kv_proj_dim=128 if image else None,
        pos_embed_seq_len=6 if image else None,
    )
    shapes, load = published(module, wan_names)
    # The number of the text's tokens is fixed when images follow.
    inputs = {"x": [1, 4, 3, 4, 6], "text": [1, 512 if image else 5, 6]}
    if image:
        inputs |= {"seen": [1, 6, 10], "concat": [1, 8, 3, 4, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    x = torch.cat([weights["x"], weights["concat"]], dim=1) if image else weights["x"]

    def answer(times, **others):
        return module(x, times, weights["text"], return_dict=False, **others)[0]

    if image:
        # The tokens of two images, whose positions differ.
        seen = weights["seen"].view(2, 3, 10)
        return shapes, inputs, {"plain": answer(torch.tensor([700.0]), encoder_hidden_states_image=seen)}
    frames = torch.tensor([[0.0] * 6 + [700.0] * 12])
    return shapes, inputs, {"plain": answer(torch.tensor([700.0])), "first frame given": answer(frames)}


def pack(x):
    """Tokens of 2 x 2 cells."""
    _, channels, height, width = x.shape
    cells = x.view(1, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 1, 3, 5)
    return cells.reshape(1, height * width // 4, channels * 4)


def ltxv():
    from diffusers import LTXVideoTransformer3DModel

    module = LTXVideoTransformer3DModel(
        in_channels=4, out_channels=4, num_attention_heads=32, attention_head_dim=4, cross_attention_dim=128, num_layers=2,
        caption_channels=6,
    )

    def names(key):
        for name, other in (("proj_in", "patchify_proj"), ("time_embed", "adaln_single"), ("norm_q", "q_norm"), ("norm_k", "k_norm")):
            key = key.replace(name, other)
        return key

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 2, 2, 3], "text": [1, 5, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    tokens = weights["x"].flatten(2).transpose(1, 2)

    def answer(times, rate):
        output = module(
            tokens, weights["text"], times, torch.tensor([[1, 1, 1, 0, 0]]), 2, 2, 3, (8 / rate, 32, 32), return_dict=False,
        )[0]
        return output.transpose(1, 2).reshape(1, 4, 2, 2, 3)

    given = torch.tensor([[0.0] * 6 + [750.0] * 6])

    def elsewhere(frame):
        """The last frame of the latent stands for another one of the video."""
        places = torch.cartesian_prod(torch.tensor([0.0, frame]), torch.arange(2) * 32.0, torch.arange(3) * 32.0)
        places[:, 0] *= 1 / 25
        output = module(
            tokens, weights["text"], given, torch.tensor([[1, 1, 1, 0, 0]]), 2, 2, 3, None, places.T[None], return_dict=False,
        )[0]
        return output.transpose(1, 2).reshape(1, 4, 2, 2, 3)

    answers = {"plain": answer(torch.tensor([750.0]), 25), "first frame given": answer(given, 30)}
    return shapes, inputs, {**answers, "last frame elsewhere": elsewhere(41.0)}


def ltxv_vae():
    from diffusers import AutoencoderKLLTXVideo

    module = AutoencoderKLLTXVideo(
        latent_channels=4, block_out_channels=(4, 8, 8), decoder_block_out_channels=(4, 8, 8),
        layers_per_block=(1, 1, 1, 1), decoder_layers_per_block=(1, 1, 1, 1), spatio_temporal_scaling=(True, True, False),
        decoder_spatio_temporal_scaling=(True, True, False), decoder_inject_noise=(False,) * 4,
        upsample_residual=(False,) * 3, upsample_factor=(1,) * 3, down_block_types=("LTXVideoDownBlock3D",) * 3,
    )

    def names(key):
        places = (
            ("encoder.down_blocks.0.downsamplers.0.", "encoder.down_blocks.1."),
            ("encoder.down_blocks.0.conv_out.", "encoder.down_blocks.2."),
            ("encoder.down_blocks.1.downsamplers.0.", "encoder.down_blocks.4."),
            ("encoder.down_blocks.1.resnets.", "encoder.down_blocks.3.resnets."),
            ("encoder.down_blocks.2.resnets.", "encoder.down_blocks.5.resnets."),
            ("encoder.mid_block.", "encoder.down_blocks.6."),
            ("decoder.mid_block.", "decoder.up_blocks.0."),
            ("decoder.up_blocks.0.resnets.", "decoder.up_blocks.1.resnets."),
            ("decoder.up_blocks.1.upsamplers.0.", "decoder.up_blocks.2."),
            ("decoder.up_blocks.1.resnets.", "decoder.up_blocks.3.resnets."),
            ("decoder.up_blocks.2.conv_in.", "decoder.up_blocks.4."),
            ("decoder.up_blocks.2.upsamplers.0.", "decoder.up_blocks.5."),
            ("decoder.up_blocks.2.resnets.", "decoder.up_blocks.6.resnets."),
        )
        for name, other in places:
            if key.startswith(name):
                key = key.replace(name, other)
                break
        for name, other in (("conv_shortcut.conv", "conv_shortcut"), ("resnets", "res_blocks"), ("norm3", "norm3.norm")):
            key = key.replace(name, other)
        return key.replace("latents_mean", "per_channel_statistics.mean-of-means").replace(
            "latents_std", "per_channel_statistics.std-of-means"
        )

    # The published decoder mirrors the cells at the borders of a frame, as ComfyUI does. Diffusers has zeros there.
    for conv in module.decoder.modules():
        if isinstance(conv, torch.nn.Conv3d) and conv.padding != (0, 0, 0):
            conv.padding_mode, conv._reversed_padding_repeated_twice = "reflect", [1, 1, 1, 1, 0, 0]
    shapes, load = published(module, names)
    inputs = {"video": [1, 3, 5, 16, 16], "latents": [1, 4, 2, 2, 3]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    means, deviations = (each.view(1, -1, 1, 1, 1) for each in (module.latents_mean, module.latents_std))
    encoded = (module.encode(weights["video"]).latent_dist.mean - means) / deviations
    decoded = module.decode(weights["latents"] * deviations + means).sample
    return shapes, inputs, {"video encoded": encoded, "latents decoded": decoded}


def hunyuan_names(key):
    """Names of HunyuanVideoTransformer3DModel as published files have them."""
    if key.startswith("context_embedder."):
        for name, other in (
            ("context_embedder", "txt_in"), ("time_text_embed.timestep_embedder.linear_1", "t_embedder.in_layer"),
            ("time_text_embed.timestep_embedder.linear_2", "t_embedder.out_layer"),
            ("time_text_embed.text_embedder.linear_1", "c_embedder.in_layer"),
            ("time_text_embed.text_embedder.linear_2", "c_embedder.out_layer"), ("proj_in", "input_embedder"),
            ("token_refiner.refiner_blocks", "individual_token_refiner.blocks"), ("norm_out.linear", "adaLN_modulation.1"),
            ("ff.net.0.proj", "mlp.0"), ("ff.net.2", "mlp.2"), ("attn.to_out.0", "self_attn.proj"),
        ):
            key = key.replace(name, other)
        match = re.match(r"(.*)\.attn\.to_([qkv])\.(.*)", key)
        return (f"{match[1]}.self_attn.qkv.{match[3]}", "qkv".index(match[2]), 3) if match else key
    double = re.match(r"transformer_blocks\.(\d+)\.(.*)\.(weight|bias)", key)
    if double:
        block, rest, kind = f"double_blocks.{double[1]}", double[2], double[3]
        for side, names in (("img", ("to_q", "to_k", "to_v")), ("txt", ("add_q_proj", "add_k_proj", "add_v_proj"))):
            for part, name in enumerate(names):
                if rest == f"attn.{name}":
                    return f"{block}.{side}_attn.qkv.{kind}", part, 3
        places = {
            "norm1.linear": "img_mod.lin", "norm1_context.linear": "txt_mod.lin", "attn.to_out.0": "img_attn.proj",
            "attn.to_add_out": "txt_attn.proj", "ff.net.0.proj": "img_mlp.0", "ff.net.2": "img_mlp.2",
            "ff_context.net.0.proj": "txt_mlp.0", "ff_context.net.2": "txt_mlp.2",
        }
        norms = {
            "attn.norm_q": "img_attn.norm.query_norm", "attn.norm_k": "img_attn.norm.key_norm",
            "attn.norm_added_q": "txt_attn.norm.query_norm", "attn.norm_added_k": "txt_attn.norm.key_norm",
        }
        return f"{block}.{norms[rest]}.scale" if rest in norms else f"{block}.{places[rest]}.{kind}"
    single = re.match(r"single_transformer_blocks\.(\d+)\.(.*)\.(weight|bias)", key)
    if single:
        block, rest, kind = f"single_blocks.{single[1]}", single[2], single[3]
        joined = ("attn.to_q", "attn.to_k", "attn.to_v", "proj_mlp")
        if rest in joined:
            return f"{block}.linear1.{kind}", joined.index(rest), 4
        norms = {"attn.norm_q": "norm.query_norm", "attn.norm_k": "norm.key_norm"}
        places = {"norm.linear": "modulation.lin", "proj_out": "linear2"}
        return f"{block}.{norms[rest]}.scale" if rest in norms else f"{block}.{places[rest]}.{kind}"
    for name, other in (
        ("x_embedder.", "img_in."), ("time_text_embed.timestep_embedder.linear_1", "time_in.in_layer"),
        ("time_text_embed.timestep_embedder.linear_2", "time_in.out_layer"),
        ("time_text_embed.guidance_embedder.linear_1", "guidance_in.in_layer"),
        ("time_text_embed.guidance_embedder.linear_2", "guidance_in.out_layer"),
        ("time_text_embed.text_embedder.linear_1", "vector_in.in_layer"),
        ("time_text_embed.text_embedder.linear_2", "vector_in.out_layer"),
        ("norm_out.linear", "final_layer.adaLN_modulation.1"), ("proj_out", "final_layer.linear"),
    ):
        key = key.replace(name, other)
    return key


def hunyuan_video():
    from diffusers import HunyuanVideoTransformer3DModel

    module = HunyuanVideoTransformer3DModel(
        in_channels=4, out_channels=4, num_attention_heads=1, attention_head_dim=128, num_layers=1, num_single_layers=1,
        num_refiner_layers=1, text_embed_dim=6, pooled_projection_dim=5,
    )
    shapes, load = published(module, hunyuan_names)
    inputs = {"x": [1, 4, 2, 4, 6], "text": [1, 5, 6], "pooled": [1, 5]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Files have the shift before the scale.
    last = module.norm_out.linear
    last.weight.data, last.bias.data = last.weight.roll(128, 0), last.bias.roll(128, 0)
    output = module(
        weights["x"], torch.tensor([700.0]), weights["text"], torch.ones(1, 5), weights["pooled"],
        torch.tensor([6000.0]), return_dict=False,
    )[0]
    return shapes, inputs, {"plain": output}


def hunyuan_vae():
    from diffusers import AutoencoderKLHunyuanVideo
    from diffusers.models.autoencoders import autoencoder_kl_hunyuan_video

    # ComfyUI lets all frames see each other.
    autoencoder_kl_hunyuan_video.prepare_causal_attention_mask = lambda *_, **__: None
    module = AutoencoderKLHunyuanVideo(
        latent_channels=4, block_out_channels=(32, 32, 32, 32), layers_per_block=1, norm_num_groups=32,
    )

    def names(key):
        key = key.replace("mid_block.attentions.0.group_norm.", "mid.attn_1.norm.")
        for name, other in (("to_q", "q"), ("to_k", "k"), ("to_v", "v"), ("to_out.0", "proj_out")):
            key = key.replace(f"mid_block.attentions.0.{name}.", f"mid.attn_1.{other}.")
        key = re.sub(r"mid_block\.resnets\.(\d)\.", lambda match: f"mid.block_{int(match[1]) + 1}.", key)
        key = re.sub(r"encoder\.down_blocks\.(\d)\.resnets\.", r"encoder.down.\1.block.", key)
        key = re.sub(r"encoder\.down_blocks\.(\d)\.downsamplers\.0\.", r"encoder.down.\1.downsample.", key)
        key = re.sub(r"decoder\.up_blocks\.(\d)\.resnets\.", lambda match: f"decoder.up.{3 - int(match[1])}.block.", key)
        key = re.sub(r"decoder\.up_blocks\.(\d)\.upsamplers\.0\.", lambda match: f"decoder.up.{3 - int(match[1])}.upsample.", key)
        return key.replace("conv_norm_out", "norm_out").replace("conv_shortcut", "nin_shortcut")

    shapes, load = published(module, names)
    # Convolutions of a single cell, as files have them.
    for name, shape in shapes.items():
        if re.search(r"attn_1\.(q|k|v|proj_out)\.weight", name):
            shapes[name] = [*shape, 1, 1, 1]
    inputs = {"video": [1, 3, 5, 16, 16], "latents": [1, 4, 2, 2, 2]}
    weights = weights_for({**shapes, **inputs})
    load({name: each.flatten(1) if re.search(r"attn_1\.(q|k|v|proj_out)\.weight", name) else each for name, each in weights.items()})
    encoded = module.encode(weights["video"]).latent_dist.mean
    return shapes, inputs, {"video encoded": encoded, "latents decoded": module.decode(weights["latents"]).sample}


def qwen_image():
    from diffusers import QwenImageTransformer2DModel

    module = QwenImageTransformer2DModel(
        in_channels=16, out_channels=4, num_layers=2, attention_head_dim=32, num_attention_heads=2,
        joint_attention_dim=24, axes_dims_rope=(4, 14, 14),
    )
    shapes, load = published(module, lambda key: key)
    inputs = {
        "x": [1, 4, 4, 8], "text": [1, 5, 24], "reference": [1, 4, 4, 4], "second": [1, 4, 2, 4],
        "residual": [1, 8, 64],
    }
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(*images, **control):
        tokens = torch.cat([pack(image) for image in images], dim=1)
        sides = [[(1, image.shape[2] // 2, image.shape[3] // 2) for image in images]]
        output = module(tokens, weights["text"], None, torch.tensor([0.75]), sides, **control).sample[:, :8]
        return output.view(1, 2, 4, 4, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(1, 4, 4, 8)

    answers = {"plain": answer(weights["x"]), "edited": answer(weights["x"], weights["reference"], weights["second"])}
    answers["controlled"] = answer(weights["x"], controlnet_block_samples=[weights["residual"]])
    return shapes, inputs, answers


def flux2_names(key):
    """Names of Flux2Transformer2DModel as published files have them."""
    for name, other in (
        ("single_transformer_blocks", "single_blocks"),
        ("transformer_blocks", "double_blocks"),
        ("time_guidance_embed.timestep_embedder", "time_in"),
        ("time_guidance_embed.guidance_embedder", "guidance_in"),
        ("linear_1", "in_layer"),
        ("linear_2", "out_layer"),
        ("norm_out.linear", "final_layer.adaLN_modulation.1"),
        ("modulation.linear", "modulation.lin"),
        ("modulation_img.linear", "modulation_img.lin"),
        ("modulation_txt.linear", "modulation_txt.lin"),
        ("proj_out", "final_layer.linear"),
        ("x_embedder", "img_in"),
        ("context_embedder", "txt_in"),
        ("attn.to_qkv_mlp_proj", "linear1"),
        ("attn.norm_added_q.weight", "txt_attn.norm.query_norm.scale"),
        ("attn.norm_added_k.weight", "txt_attn.norm.key_norm.scale"),
        ("attn.to_add_out", "txt_attn.proj"),
        ("attn.to_out.0", "img_attn.proj"),
        ("attn.to_out", "linear2"),
        ("ff_context.linear_in", "txt_mlp.0"),
        ("ff_context.linear_out", "txt_mlp.2"),
        ("ff.linear_in", "img_mlp.0"),
        ("ff.linear_out", "img_mlp.2"),
    ):
        key = key.replace(name, other)
    norms = "" if key.startswith("single") else "img_attn."
    for part in "qk":
        key = key.replace(f"attn.norm_{part}.weight", f"{norms}norm.{dict(q='query', k='key')[part]}_norm.scale")
    for part, (image, text) in enumerate((("to_q", "add_q_proj"), ("to_k", "add_k_proj"), ("to_v", "add_v_proj"))):
        for name, stream in ((image, "img"), (text, "txt")):
            if f".attn.{name}." in key:
                return key.replace(f".attn.{name}.", f".{stream}_attn.qkv."), part, 3
    return key


def flux2(guidance=True):
    from diffusers import Flux2Transformer2DModel

    module = Flux2Transformer2DModel(
        in_channels=8, num_layers=2, num_single_layers=2, attention_head_dim=32, num_attention_heads=2,
        joint_attention_dim=24, axes_dims_rope=(8, 8, 8, 8), guidance_embeds=guidance,
    )
    shapes, load = published(module, flux2_names)
    inputs = {"x": [1, 8, 3, 4], "text": [1, 5, 24], "reference": [1, 8, 2, 3], "second": [1, 8, 2, 2]}
    weights = weights_for({**shapes, **inputs})
    # Larger gates: attention changes more than the last digits.
    adapted = {key: value * (40 if "modulation" in key else 1) for key, value in weights.items()}
    norm = "final_layer.adaLN_modulation.1.weight"
    adapted[norm] = torch.cat(adapted[norm].chunk(2)[::-1])
    load(adapted)
    text = torch.cat([torch.zeros(1, 507, 24), weights["text"]], dim=1)
    places = torch.tensor([[0, 0, 0, place] for place in range(512)])

    def answer(*images):
        tokens = torch.cat([image.flatten(2).transpose(1, 2) for image in images], dim=1)
        ids = torch.cat([
            torch.cartesian_prod(torch.tensor([10 * at]), torch.arange(image.shape[2]), torch.arange(image.shape[3]), torch.arange(1))
            for at, image in enumerate(images)
        ])
        scale = torch.tensor([2.5]) if guidance else None
        output = module(tokens, text, torch.tensor([0.75]), ids, places, scale).sample[:, :12]
        return output.transpose(1, 2).reshape(1, 8, 3, 4)

    return shapes, inputs, {
        "plain": answer(weights["x"]),
        "edited": answer(weights["x"], weights["reference"], weights["second"]),
    }


def flux2_vae():
    from diffusers import AutoencoderKLFlux2

    module = AutoencoderKLFlux2(
        down_block_types=["DownEncoderBlock2D"] * 2, up_block_types=["UpDecoderBlock2D"] * 2,
        block_out_channels=[32, 64], layers_per_block=1, latent_channels=4,
    )

    def names(key):
        return None if key.endswith("num_batches_tracked") else key

    shapes, load = published(module, names)
    inputs = {"image": [1, 3, 16, 24], "latent": [1, 16, 4, 6]}
    weights = weights_for({**shapes, **inputs})
    weights["bn.running_var"] = weights["bn.running_var"].abs()
    load(weights)
    mean, variance = (weights[f"bn.running_{name}"].view(1, -1, 1, 1) for name in ("mean", "var"))
    deviation = torch.sqrt(variance + 1e-4)
    encoded = module.encode(weights["image"]).latent_dist.mode()
    cells = encoded.view(1, 4, 4, 2, 6, 2).permute(0, 1, 3, 5, 2, 4).reshape(1, 16, 4, 6)
    latents = weights["latent"] * deviation + mean
    spread = latents.reshape(1, 4, 2, 2, 4, 6).permute(0, 1, 4, 2, 5, 3).reshape(1, 4, 8, 12)
    return shapes, inputs, {"encoded": (cells - mean) / deviation, "decoded": module.decode(spread).sample}


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


def hunyuan_dit_names(key):
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


def hunyuan_dit():
    from diffusers import HunyuanDiT2DModel
    from diffusers.models.embeddings import get_2d_rotary_pos_embed
    from diffusers.pipelines.hunyuandit.pipeline_hunyuandit import get_resize_crop_region_for_grid

    module = HunyuanDiT2DModel(
        num_attention_heads=2, attention_head_dim=16, in_channels=4, patch_size=2, activation_fn="gelu-approximate",
        sample_size=32, hidden_size=32, num_layers=4, mlp_ratio=2, cross_attention_dim=24, cross_attention_dim_t5=16,
        pooled_projection_dim=12, text_len=5, text_len_t5=6,
    )

    shapes, load = published(module, hunyuan_dit_names)
    inputs = {"x": [1, 4, 4, 6], "text": [1, 5, 24], "t5": [1, 6, 16], "residual": [1, 6, 32]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Files have the shift before the scale.
    last = module.norm_out.linear
    last.weight.data, last.bias.data = last.weight.roll(32, 0), last.bias.roll(32, 0)
    turn = get_2d_rotary_pos_embed(16, get_resize_crop_region_for_grid((2, 3), 32), (2, 3), output_type="pt")

    def answer(**control):
        return module(
            weights["x"], torch.tensor([100.0]), weights["text"], torch.tensor([[1, 1, 1, 0, 0]]), weights["t5"],
            torch.tensor([[1, 1, 0, 0, 0, 0]]), torch.tensor([[512.0, 256, 512, 256, 0, 0]]), torch.tensor([0]), turn,
            **control,
        ).sample[:, :4]

    controlled = answer(controlnet_block_samples=[weights["residual"]])
    return shapes, inputs, {"plain": answer(), "controlled": controlled}


def t2i_adapter(kind, channels, factor, colors, names):
    from diffusers import T2IAdapter

    module = T2IAdapter(
        in_channels=colors, channels=channels, num_res_blocks=2, downscale_factor=factor, adapter_type=kind
    )
    shapes, load = published(module, names)
    inputs = {"image": [1, colors, 3 * factor, 4 * factor]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    image = weights["image"] + 0.5 if factor == 8 else weights["image"]
    return shapes, inputs, {str(index): each for index, each in enumerate(module(image))}


def t2i_full():
    def names(key):
        key = re.sub(r"^adapter\.body\.(\d+)\.in_conv", lambda m: f"body.{int(m[1]) * 2}.in_conv", key)
        key = re.sub(
            r"^adapter\.body\.(\d+)\.resnets\.(\d+)", lambda m: f"body.{int(m[1]) * 2 + int(m[2])}", key
        )
        return key.replace("adapter.", "")

    return t2i_adapter("full_adapter", [4, 6, 8, 8], 8, 3, names)


def t2i_full_xl():
    return t2i_adapter("full_adapter_xl", [4, 6, 8, 8], 16, 1, lambda key: key)


def t2i_light():
    return t2i_adapter("light_adapter", [8, 12, 16], 8, 3, lambda key: key)


class StyleLayer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(width, 8, batch_first=True)
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.mlp = torch.nn.ModuleDict(
            {"c_fc": torch.nn.Linear(width, 4 * width), "c_proj": torch.nn.Linear(4 * width, width)}
        )

    def forward(self, x):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        y = self.mlp["c_fc"](self.ln_2(x))
        return x + self.mlp["c_proj"](y * torch.sigmoid(1.702 * y))


class StyleAdapter(torch.nn.Module):
    """The style adapter of T2I-Adapter (Mou et al., 2023)."""

    def __init__(self, width=16, outputs=12, tokens=3):
        super().__init__()
        self.transformer_layes = torch.nn.Sequential(StyleLayer(width), StyleLayer(width))
        self.style_embedding = torch.nn.Parameter(torch.zeros(1, tokens, width))
        self.ln_pre, self.ln_post = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.proj = torch.nn.Parameter(torch.zeros(width, outputs))

    def forward(self, x):
        learned = self.style_embedding.expand(x.shape[0], -1, -1)
        x = self.transformer_layes(self.ln_pre(torch.cat([x, learned], 1)))
        return self.ln_post(x)[:, -learned.shape[1] :] @ self.proj


def style_adapter():
    module = StyleAdapter()
    shapes, load = published(module, lambda key: key)
    inputs = {"seen": [2, 5, 16]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    return shapes, inputs, {"tokens": module(weights["seen"])}


def adapted_unet():
    """UNets with residuals in the blocks on the way down, as those of Stable Diffusion 1 and of SDXL."""
    from diffusers import UNet2DConditionModel

    def unet(levels):
        return UNet2DConditionModel(
            in_channels=4, out_channels=4, block_out_channels=[32, 32, 64, 64][: len(levels)], layers_per_block=2,
            down_block_types=levels, up_block_types=[name.replace("Down", "Up") for name in levels[::-1]],
            cross_attention_dim=8, attention_head_dim=4, norm_num_groups=32, sample_size=8,
        )

    small = unet(["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"])
    large = unet(["DownBlock2D"] + ["CrossAttnDownBlock2D"] * 2)
    shapes, loads = {}, []
    for name, module in (("sd", small), ("xl", large)):
        own, load = published(module, lambda key: f"{name}.{key}")
        shapes |= own
        loads.append(load)
    inputs = {
        "x": [1, 4, 8, 8], "text": [1, 3, 8],
        "sd 0": [1, 32, 8, 8], "sd 1": [1, 32, 4, 4], "sd 2": [1, 64, 2, 2], "sd 3": [1, 64, 1, 1],
        "xl 0": [1, 32, 4, 4], "xl 1": [1, 32, 4, 4], "xl 2": [1, 64, 2, 2], "xl 3": [1, 64, 2, 2],
    }
    weights = weights_for({**shapes, **inputs})
    for load in loads:
        load(weights)
    answers = {}
    for name, module in (("sd", small), ("xl", large)):
        residuals = [weights[f"{name} {index}"].clone() for index in range(4)]
        answers[name] = module(
            weights["x"], torch.tensor(321), weights["text"], down_intrablock_additional_residuals=residuals
        ).sample
    return shapes, inputs, answers


def positions(height, width):
    """The rows and columns of Flux' tokens."""
    return torch.tensor([[0.0, row, column] for row in range(height) for column in range(width)])


def flux_control():
    """A union of control nets of Flux, as those of InstantX and Shakker."""
    from diffusers import FluxControlNetModel

    module = FluxControlNetModel(
        in_channels=8, num_layers=2, num_single_layers=1, attention_head_dim=128, num_attention_heads=1,
        joint_attention_dim=16, pooled_projection_dim=12, guidance_embeds=True, num_mode=3,
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 2, 4, 6], "hint": [1, 2, 4, 6], "text": [1, 3, 16], "pooled": [1, 12]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(mode):
        module.union = mode is not None
        return module(
            pack(weights["x"]), pack(weights["hint"]), mode, 1.0, weights["text"], weights["pooled"],
            torch.tensor([0.5]), positions(2, 3), torch.zeros(3, 3), torch.tensor([2.0]),
        )

    answers = {}
    for name, mode in (("plain", None), ("kind", torch.tensor([[2]]))):
        result = answer(mode)
        for index, sample in enumerate(result.controlnet_block_samples + result.controlnet_single_block_samples):
            answers[f"{name} {index}"] = sample
    return shapes, inputs, answers


def flux_names(key):
    """Names of double-stream blocks of Flux in its original files."""
    for name, other in (
        (r"^time_text_embed\.timestep_embedder", "time_in"),
        (r"^time_text_embed\.text_embedder", "vector_in"),
        (r"^time_text_embed\.guidance_embedder", "guidance_in"),
        (r"^(\w+_in)\.linear_1", r"\1.in_layer"),
        (r"^(\w+_in)\.linear_2", r"\1.out_layer"),
        (r"^x_embedder", "img_in"),
        (r"^context_embedder", "txt_in"),
        (r"^transformer_blocks", "double_blocks"),
        (r"norm1\.linear", "img_mod.lin"),
        (r"norm1_context\.linear", "txt_mod.lin"),
        (r"attn\.norm_added_q\.weight", "txt_attn.norm.query_norm.scale"),
        (r"attn\.norm_added_k\.weight", "txt_attn.norm.key_norm.scale"),
        (r"attn\.norm_q\.weight", "img_attn.norm.query_norm.scale"),
        (r"attn\.norm_k\.weight", "img_attn.norm.key_norm.scale"),
        (r"attn\.to_out\.0", "img_attn.proj"),
        (r"attn\.to_add_out", "txt_attn.proj"),
        (r"ff\.net\.0\.proj", "img_mlp.0"),
        (r"ff\.net\.2", "img_mlp.2"),
        (r"ff_context\.net\.0\.proj", "txt_mlp.0"),
        (r"ff_context\.net\.2", "txt_mlp.2"),
        (r"^controlnet_x_embedder", "pos_embed_input"),
        (r"^input_hint_block\.conv_in", "input_hint_block.0"),
        (r"^input_hint_block\.conv_out", "input_hint_block.14"),
    ):
        key = re.sub(name, other, key)
    key = re.sub(r"^input_hint_block\.blocks\.(\d+)", lambda m: f"input_hint_block.{2 * int(m[1]) + 2}", key)
    for part, name in enumerate(("q", "k", "v")):
        if f".attn.to_{name}." in key:
            return key.replace(f"attn.to_{name}", "img_attn.qkv"), part, 3
        if f".attn.add_{name}_proj." in key:
            return key.replace(f"attn.add_{name}_proj", "txt_attn.qkv"), part, 3
    return key


def xlabs_control():
    from diffusers import FluxControlNetModel

    module = FluxControlNetModel(
        patch_size=2, in_channels=64, num_layers=2, num_single_layers=0, attention_head_dim=128, num_attention_heads=1,
        joint_attention_dim=16, pooled_projection_dim=12, guidance_embeds=True, conditioning_embedding_channels=16,
    )
    shapes, load = published(module, flux_names)
    inputs = {"x": [1, 16, 2, 4], "image": [1, 3, 16, 32], "text": [1, 3, 16], "pooled": [1, 12]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    result = module(
        pack(weights["x"]), weights["image"], None, 1.0, weights["text"], weights["pooled"],
        torch.tensor([0.5]), positions(1, 2), torch.zeros(3, 3), torch.tensor([3.5]),
    )
    return shapes, inputs, {str(index): each for index, each in enumerate(result.controlnet_block_samples)}


def sd3_control():
    from diffusers import SD3ControlNetModel

    module = SD3ControlNetModel(
        sample_size=8, in_channels=4, num_layers=2, attention_head_dim=64, num_attention_heads=1,
        joint_attention_dim=16, caption_projection_dim=64, pooled_projection_dim=12, pos_embed_max_size=8,
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 4, 4, 6], "hint": [1, 4, 4, 6], "text": [1, 3, 16], "pooled": [1, 12]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    result = module(
        weights["x"], weights["hint"], 1.0, weights["text"], weights["pooled"], torch.tensor([500.0])
    ).controlnet_block_samples
    return shapes, inputs, {str(index): each for index, each in enumerate(result)}


def sd35_control():
    """The layers of SD3ControlNetModel for SD 3.5 large. As in ComfyUI, each block sees the first tokens."""
    from diffusers.models.embeddings import CombinedTimestepTextProjEmbeddings
    from diffusers.models.transformers.transformer_sd3 import SD3SingleTransformerBlock

    width = 128
    text = torch.nn.Module()
    text.linear_1, text.linear_2 = torch.nn.Linear(12, width), torch.nn.Linear(width, width)
    module = torch.nn.Module()
    module.pos_embed = torch.nn.Module()
    module.pos_embed.proj = torch.nn.Conv2d(4, width, 2, 2)
    module.pos_embed_input = torch.nn.Module()
    module.pos_embed_input.proj = torch.nn.Conv2d(4, width, 2, 2)
    module.time_text_embed = CombinedTimestepTextProjEmbeddings(width, width)
    module.transformer_blocks = torch.nn.ModuleList(SD3SingleTransformerBlock(width, 2, 64) for _ in range(2))
    module.controlnet_blocks = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(2))

    def names(key):
        key = re.sub(r"attn\.to_q\.", "attn.qkv.", key).replace("attn.to_out.0", "attn.proj")
        key = key.replace("norm1.linear", "adaLN_modulation.1")
        return key.replace("ff.net.0.proj", "mlp.fc1").replace("ff.net.2", "mlp.fc2")

    own = module.state_dict()
    shapes = {names(key): list(value.shape) for key, value in own.items() if not re.search(r"to_[kv]\.", key)}
    for key in list(shapes):
        if ".qkv." in key:
            shapes[key] = [3 * width, *shapes[key][1:]]
    model = {f"model.{key}": list(value.shape) for key, value in text.state_dict().items()}
    inputs = {"x": [1, 4, 4, 6], "hint": [1, 4, 4, 6], "pooled": [1, 12], **model}
    weights = weights_for({**shapes, **inputs})
    values = {}
    for key in own:
        part = re.search(r"to_([qkv])\.", key)
        tensor = weights[names(re.sub(r"to_[kv]\.", "to_q.", key))]
        values[key] = tensor.chunk(3)["qkv".index(part[1])] if part else tensor
    module.load_state_dict(values)
    text.load_state_dict({key: weights[f"model.{key}"] for key in text.state_dict()})
    pooled = text.linear_2(torch.nn.functional.silu(text.linear_1(weights["pooled"])))
    time = module.time_text_embed(torch.tensor([500.0]), pooled)
    tokens = module.pos_embed.proj(weights["x"]) + module.pos_embed_input.proj(weights["hint"])
    tokens = tokens.flatten(2).transpose(1, 2)
    result = [layer(block(tokens, time)) for block, layer in zip(module.transformer_blocks, module.controlnet_blocks)]
    return shapes, inputs, {str(index): each for index, each in enumerate(result)}


def qwen_control():
    from diffusers import QwenImageControlNetModel

    module = QwenImageControlNetModel(
        in_channels=64, out_channels=16, num_layers=2, attention_head_dim=32, num_attention_heads=2,
        joint_attention_dim=24, axes_dims_rope=(4, 14, 14),
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"x": [1, 16, 4, 8], "hint": [1, 16, 4, 8], "text": [1, 5, 24]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    result = module(
        pack(weights["x"]), pack(weights["hint"]), 1.0, weights["text"], torch.ones(1, 5), torch.tensor([0.75]),
        [[(1, 2, 4)]],
    ).controlnet_block_samples
    return shapes, inputs, {str(index): each for index, each in enumerate(result)}


def hunyuan_control():
    from diffusers import HunyuanDiT2DControlNetModel
    from diffusers.models.embeddings import get_2d_rotary_pos_embed
    from diffusers.pipelines.hunyuandit.pipeline_hunyuandit import get_resize_crop_region_for_grid

    module = HunyuanDiT2DControlNetModel(
        num_attention_heads=2, attention_head_dim=16, in_channels=4, patch_size=2, sample_size=32, hidden_size=32,
        transformer_num_layers=6, mlp_ratio=2, cross_attention_dim=24, cross_attention_dim_t5=16,
        pooled_projection_dim=12, text_len=5, text_len_t5=6, use_style_cond_and_image_meta_size=False,
    )

    def names(key):
        key = re.sub(r"^input_block", "before_proj", re.sub(r"^controlnet_blocks", "after_proj_list", key))
        return hunyuan_dit_names(key)

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 4, 6], "hint": [1, 4, 4, 6], "text": [1, 5, 24], "t5": [1, 6, 16]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    turn = get_2d_rotary_pos_embed(16, get_resize_crop_region_for_grid((2, 3), 32), (2, 3), output_type="pt")
    result = module(
        weights["x"], torch.tensor([100.0]), weights["hint"], 1.0, weights["text"], torch.tensor([[1, 1, 1, 0, 0]]),
        weights["t5"], torch.tensor([[1, 1, 0, 0, 0, 0]]), None, None, turn,
    ).controlnet_block_samples
    return shapes, inputs, {str(index): each for index, each in enumerate(result)}


def qwen_vision():
    from transformers.models.qwen2_5_vl.configuration_qwen2_5_vl import Qwen2_5_VLConfig
    from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

    # Two layers, of which the second sees the whole image; four windows.
    config = Qwen2_5_VLConfig(
        vision_config={
            "depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 40, "out_hidden_size": 24,
            "fullatt_block_indexes": [1], "window_size": 112, "patch_size": 14, "spatial_merge_size": 2,
        },
        text_config={
            "vocab_size": 40, "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 2, "num_key_value_heads": 1, "rms_norm_eps": 1e-6,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0, "mrope_section": [1, 2, 3]},
        },
        image_token_id=30, vision_start_token_id=31, vision_end_token_id=32,
    )
    module = Qwen2_5_VLModel(config)

    def names(key):
        return re.sub(r"^language_model\.", "model.", key)

    shapes, load = published(module, names)
    # The image has 5 x 6 tokens.
    inputs = {"image": [1, 140, 168, 3]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    image = weights["image"] + 0.5
    mean = torch.tensor([0.48145466, 0.4578275, 0.40821073])
    deviation = torch.tensor([0.26862954, 0.26130258, 0.27577711])
    pixels = ((image[0] - mean) / deviation).permute(2, 0, 1).expand(2, -1, -1, -1)
    patches = pixels.reshape(1, 2, 3, 5, 2, 14, 6, 2, 14).permute(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(120, -1)
    grid = torch.tensor([[1, 10, 12]])
    tokens = module.visual(patches, grid).pooler_output
    ids = torch.tensor([[3, 4, 31] + [30] * 30 + [32, 5, 6]])
    types = (ids == 30).int()
    result = module(
        input_ids=ids, pixel_values=patches, image_grid_thw=grid, mm_token_type_ids=types,
        attention_mask=torch.ones_like(ids), use_cache=False,
    )
    return shapes, inputs, {"tokens": tokens[None], "last": result.last_hidden_state}


def labeled_unet(inputs, **options):
    from diffusers import UNet2DConditionModel

    module = UNet2DConditionModel(
        in_channels=inputs["x"][1], out_channels=4, block_out_channels=(32, 64), layers_per_block=1, cross_attention_dim=16,
        attention_head_dim=2, down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D"), use_linear_projection=True, **options,
    )
    shapes, load = published(module, lambda key: key)
    weights = weights_for({**shapes, **inputs})
    load(weights)
    labels = weights["labels"] if "labels" in inputs else torch.tensor([7])
    output = module(weights["x"], torch.tensor([100.0]), weights["text"], class_labels=labels).sample
    return shapes, inputs, {"plain": output}


def upscaler_unet():
    """The first level of the x4 upscaler sees the prompt twice, and its labels are numbers of classes."""
    inputs = {"x": [1, 7, 4, 6], "text": [1, 5, 16]}
    return labeled_unet(inputs, num_class_embeds=10, only_cross_attention=(True, False))


def unclip_unet():
    inputs = {"x": [1, 4, 4, 6], "text": [1, 5, 16], "labels": [1, 12]}
    return labeled_unet(inputs, class_embed_type="projection", projection_class_embeddings_input_dim=12)


def gligen():
    """A UNet with layers for boxes, whose own file has the names of the original layout."""
    from diffusers import UNet2DConditionModel

    module = UNet2DConditionModel(
        in_channels=4, out_channels=4, block_out_channels=[32, 32, 32, 32], layers_per_block=2,
        down_block_types=["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"],
        up_block_types=["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3, cross_attention_dim=8, attention_head_dim=8,
        norm_num_groups=32, sample_size=8, attention_type="gated",
    )

    def names(key):
        if key.startswith("position_net."):
            return f"gligen.{key}"
        if ".fuser." not in key:
            return f"base.{key}"
        key = re.sub(r"^mid_block\.attentions\.0\.", "middle_block.1.", key)
        key = re.sub(
            r"^down_blocks\.(\d)\.attentions\.(\d)\.", lambda m: f"input_blocks.{int(m[1]) * 3 + int(m[2]) + 1}.1.", key
        )
        key = re.sub(
            r"^up_blocks\.(\d)\.attentions\.(\d)\.", lambda m: f"output_blocks.{int(m[1]) * 3 + int(m[2])}.1.", key
        )
        return f"gligen.{key}"

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 16, 16], "text": [1, 3, 8], "phrases": [2, 8]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    boxes, masks, phrases = torch.zeros(1, 30, 4), torch.zeros(1, 30), torch.zeros(1, 30, 8)
    boxes[0, 0], boxes[0, 1] = torch.tensor([0.25, 0.125, 0.75, 0.5]), torch.tensor([0.0, 0.5, 0.5, 1.0])
    masks[0, :2], phrases[0, :2] = 1, weights["phrases"]
    objects = {"boxes": boxes, "masks": masks, "positive_embeddings": phrases}
    sample = module(weights["x"], torch.tensor(321), weights["text"], cross_attention_kwargs={"gligen": objects}).sample
    return shapes, inputs, {"seen": sample}


FAMILIES = {
    "gligen": gligen,
    "qwen_vision": qwen_vision,
    "flux_control": flux_control,
    "xlabs_control": xlabs_control,
    "sd3_control": sd3_control,
    "sd35_control": sd35_control,
    "qwen_control": qwen_control,
    "hunyuan_control": hunyuan_control,
    "t2i_full": t2i_full,
    "t2i_full_xl": t2i_full_xl,
    "t2i_light": t2i_light,
    "adapted_unet": adapted_unet,
    "style_adapter": style_adapter,
    "upscaler_unet": upscaler_unet,
    "unclip_unet": unclip_unet,
    "wan_vae": wan_vae,
    "qwen_layered_vae": lambda: wan_vae(colors=4),
    "wan22_vae": wan22_vae,
    "wan_t2v": wan,
    "wan_i2v": lambda: wan(image=True),
    "ltxv": ltxv,
    "ltxv_vae": ltxv_vae,
    "hunyuan_video": hunyuan_video,
    "hunyuan_vae": hunyuan_vae,
    "qwen_image": qwen_image,
    "flux2": flux2,
    "flux2_klein": lambda: flux2(guidance=False),
    "flux2_vae": flux2_vae,
    "lumina2": lumina2,
    "z_image": z_image,
    "pixart_alpha": pixart_alpha,
    "hunyuan_dit": hunyuan_dit,
}


def main(names, families=FAMILIES):
    FOLDER.mkdir(exist_ok=True)
    for name in names or families:
        shapes, inputs, answers = families[name]()
        numbers = {"weights": shapes, "inputs": inputs, "answers": {key: rounded(each) for key, each in answers.items()}}
        path = next(FOLDER.rglob(f"{name}.json"), FOLDER / f"{name}.json")
        path.write_text(json.dumps(numbers) + "\n")
        print(name, len(shapes), "tensors", {key: (float(each.std()), list(each.shape)) for key, each in answers.items()})


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:])
