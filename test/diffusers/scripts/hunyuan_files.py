"""Computes answers of small networks of Hunyuan Image 2.1 and Hunyuan Video 1.5 with diffusers.

    python hunyuan_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py.
"""

import re
import sys

import torch
from torch import nn
from weight_files import hunyuan_names, main, published, weights_for

WIDTH = 128


def published_names(key):
    """Names of both networks as published files have them."""
    for name, other in (
        ("context_embedder_2.norm", "byt5_in.layernorm"), ("context_embedder_2.linear_", "byt5_in.fc"),
        ("image_embedder.norm_in", "vision_in.proj.0"), ("image_embedder.linear_1", "vision_in.proj.1"),
        ("image_embedder.linear_2", "vision_in.proj.3"), ("image_embedder.norm_out", "vision_in.proj.4"),
        ("cond_type_embed.", "cond_type_embedding."),
        ("time_guidance_embed.guidance_embedder", "time_text_embed.guidance_embedder"),
    ):
        key = key.replace(name, other)
    key = re.sub(r"^time(_guidance)?_embed\.timestep_embedder_r\.linear_1", "time_r_in.in_layer", key)
    key = re.sub(r"^time(_guidance)?_embed\.timestep_embedder_r\.linear_2", "time_r_in.out_layer", key)
    key = re.sub(r"^time(_guidance)?_embed\.timestep_embedder", "time_text_embed.timestep_embedder", key)
    return hunyuan_names(key)


def loaded(module, inputs):
    shapes, load = published(module, published_names)
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Files have the shift before the scale.
    last = module.norm_out.linear
    last.weight.data, last.bias.data = last.weight.roll(WIDTH, 0), last.bias.roll(WIDTH, 0)
    return shapes, weights


def small_glyphs(module, width):
    """The width between the layers for glyphs is fixed in diffusers."""
    module.context_embedder_2 = type(module.context_embedder_2)(width, 8, WIDTH)


def hunyuan_image():
    from diffusers import HunyuanImageTransformer2DModel

    module = HunyuanImageTransformer2DModel(
        in_channels=64, out_channels=64, num_attention_heads=1, num_layers=1, num_single_layers=1, num_refiner_layers=1,
        text_embed_dim=6, text_embed_2_dim=5, guidance_embeds=True, use_meanflow=True,
    )
    small_glyphs(module, 5)
    inputs = {"x": [1, 64, 2, 3], "text": [1, 5, 6], "glyphs": [1, 4, 5]}
    shapes, weights = loaded(module, inputs)

    def answer(glyphs=None, next_step=None):
        return module(
            weights["x"], torch.tensor([700.0]), weights["text"], torch.ones(1, 5), guidance=torch.tensor([6000.0]),
            timestep_r=None if next_step is None else torch.tensor([next_step]),
            encoder_hidden_states_2=glyphs, encoder_attention_mask_2=torch.ones(1, 4), return_dict=False,
        )[0]

    answers = {"glyphs": answer(weights["glyphs"], 500.0)}
    module.time_guidance_embed.use_meanflow = False
    answers["plain"] = answer()
    return shapes, inputs, answers


def hunyuan_image_refiner():
    from diffusers import HunyuanImageTransformer2DModel

    module = HunyuanImageTransformer2DModel(
        in_channels=128, out_channels=64, num_attention_heads=1, num_layers=1, num_single_layers=1, num_refiner_layers=1,
        text_embed_dim=6, patch_size=(1, 1, 1), rope_axes_dim=(16, 56, 56), guidance_embeds=True,
    )
    inputs = {"x": [1, 64, 1, 2, 3], "image": [1, 64, 1, 2, 3], "text": [1, 5, 6]}
    shapes, weights = loaded(module, inputs)
    both = torch.cat([weights["x"], weights["image"]], dim=1)
    output = module(
        both, torch.tensor([700.0]), weights["text"], torch.ones(1, 5), guidance=torch.tensor([6000.0]), return_dict=False,
    )[0]
    return shapes, inputs, {"plain": output}


def hunyuan_video_15():
    from diffusers import HunyuanVideo15Transformer3DModel

    module = HunyuanVideo15Transformer3DModel(
        num_attention_heads=1, num_layers=1, num_refiner_layers=1, text_embed_dim=6, text_embed_2_dim=5, image_embed_dim=7,
        use_meanflow=True,
    )
    small_glyphs(module, 5)
    inputs = {
        "x": [1, 32, 2, 2, 3], "image": [1, 33, 2, 2, 3], "text": [1, 5, 6], "glyphs": [1, 4, 5], "vision": [1, 3, 7],
    }
    shapes, weights = loaded(module, inputs)
    both = torch.cat([weights["x"], weights["image"]], dim=1)

    def answer(glyphs, vision, next_step):
        return module(
            both, torch.tensor([700.0]), weights["text"], torch.ones(1, 5), encoder_hidden_states_2=weights["glyphs"],
            encoder_attention_mask_2=torch.full((1, 4), float(glyphs)), image_embeds=weights["vision"] * vision,
            timestep_r=next_step, return_dict=False,
        )[0]

    # The attention of diffusers takes the masks of whole batches only.
    return shapes, inputs, {
        "plain": answer(0, 0, None),
        "all": answer(1, 1, torch.tensor([500.0])),
    }


def hunyuan_video_replaced():
    from diffusers import HunyuanVideoTransformer3DModel

    # ComfyUI adds the guidance to the embedding of frames without noise, too. Here is none.
    module = HunyuanVideoTransformer3DModel(
        in_channels=16, out_channels=16, num_attention_heads=1, attention_head_dim=128, num_layers=1, num_single_layers=1,
        num_refiner_layers=1, text_embed_dim=6, pooled_projection_dim=5, guidance_embeds=False,
        image_condition_type="token_replace",
    )
    inputs = {"x": [1, 16, 3, 4, 6], "text": [1, 5, 6], "pooled": [1, 5]}
    shapes, weights = loaded(module, inputs)
    output = module(
        weights["x"], torch.tensor([700.0]), weights["text"], torch.ones(1, 5), weights["pooled"], return_dict=False,
    )[0]
    return shapes, inputs, {"later frames": output[:, :, 1:]}


def video_vae_names(key):
    key = key.replace("mid_block.attentions.0.", "mid.attn_1.")
    key = re.sub(r"attn_1\.(to_)?([qkv])\.", r"attn_1.\2.", key)
    key = re.sub(r"attn_1\.proj\.", "attn_1.proj_out.", key)
    key = re.sub(r"mid_block\.resnets\.(\d)\.", lambda match: f"mid.block_{int(match[1]) + 1}.", key)
    for side, steps in (("down", "downsample"), ("up", "upsample")):
        key = re.sub(rf"{side}_blocks\.(\d)\.resnets\.", rf"{side}.\1.block.", key)
        key = re.sub(rf"{side}_blocks\.(\d)\.{steps}rs\.0\.", rf"{side}.\1.{steps}.", key)
    return key.replace("conv_shortcut", "nin_shortcut")


def hunyuan_refiner_vae():
    from diffusers import AutoencoderKLHunyuanVideo15
    from diffusers.models.autoencoders.autoencoder_kl_hunyuanvideo15 import HunyuanVideo15AttnBlock

    # ComfyUI lets all frames see each other.
    HunyuanVideo15AttnBlock.prepare_causal_attention_mask = staticmethod(lambda *_, **__: None)
    module = AutoencoderKLHunyuanVideo15(latent_channels=32, block_out_channels=(8, 16, 32, 64, 64), layers_per_block=1)
    shapes, load = published(module, video_vae_names)
    inputs = {"video": [1, 3, 5, 16, 32], "latents": [1, 32, 2, 1, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    image, latent = weights["video"][:, :, :1], weights["latents"][:, :, :1]
    return shapes, inputs, {
        "video encoded": module.encode(weights["video"]).latent_dist.mean,
        "image encoded": module.encode(image).latent_dist.mean,
        "latents decoded": module.decode(weights["latents"]).sample,
        "latent decoded": module.decode(latent).sample,
    }


def hunyuan_image_vae():
    from diffusers import AutoencoderKLHunyuanImage

    module = AutoencoderKLHunyuanImage(
        in_channels=3, out_channels=3, latent_channels=64, block_out_channels=(32, 32, 64, 64, 128, 128), layers_per_block=1,
        spatial_compression_ratio=32, sample_size=64,
    )

    def names(key):
        # Diffusers counts blocks and changes of the sides together: 1 and 1, or 2 and 1.
        for side, count, steps in (("down", 1, "downsample"), ("up", 2, "upsample")):
            match = re.search(rf"{side}_blocks\.(\d+)\.(.*)", key)
            if match:
                level, part = divmod(int(match[1]), count + 1)
                part = f"block.{part}" if part < count else steps
                key = f"{key[: match.start()]}{side}.{level}.{part}.{match[2]}"
        return video_vae_names(key)

    shapes, load = published(module, names)
    inputs = {"image": [1, 3, 32, 64], "latent": [1, 64, 1, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    return shapes, inputs, {
        "image encoded": module.encode(weights["image"]).latent_dist.mean,
        "latent decoded": module.decode(weights["latent"]).sample,
    }


def causal(layer, x):
    """A convolution that sees no later frame, with the border repeated."""
    return layer(nn.functional.pad(x, (1, 1, 1, 1, 2, 0), mode="replicate"))


def upscaler_720():
    """Blocks of three convolutions, as ComfyUI has them for latents of 720 rows."""
    layers = {"in_conv.conv": nn.Conv3d(4, 6, 3), "out_conv.conv": nn.Conv3d(6, 4, 3)}
    layers |= {f"blocks.{block}.block.{at}.conv": nn.Conv3d(6, 6, 3) for block in range(2) for at in (0, 2, 4)}

    def run(x):
        x = causal(layers["in_conv.conv"], x)
        for block in range(2):
            first, second, third = (layers[f"blocks.{block}.block.{at}.conv"] for at in (0, 2, 4))
            inner = causal(second, nn.functional.silu(causal(first, x)))
            x = x + causal(third, nn.functional.silu(inner))
        return causal(layers["out_conv.conv"], x)

    return answered(layers, run)


def upscaler_1080():
    """The levels of a decoder, as ComfyUI has them for latents of 1080 rows."""
    widths = (8, 6)
    layers = {"conv_in.conv": nn.Conv3d(4, 8, 3), "conv_out.conv": nn.Conv3d(6, 4, 3), "norm_out": Norm(6)}
    for level, width in enumerate(widths):
        for block in range(3):
            name, inputs = f"up.{level}.block.{block}", widths[level - 1] if block == 0 and level > 0 else width
            layers |= {f"{name}.norm1": Norm(inputs), f"{name}.conv1.conv": nn.Conv3d(inputs, width, 3)}
            layers |= {f"{name}.norm2": Norm(width), f"{name}.conv2.conv": nn.Conv3d(width, width, 3)}
            if inputs != width:
                layers[f"{name}.nin_shortcut"] = nn.Conv3d(inputs, width, 1)

    def run(z):
        x = causal(layers["conv_in.conv"], z) + z.repeat_interleave(2, dim=1)
        for level in range(2):
            for block in range(3):
                name = f"up.{level}.block.{block}"
                inner = x
                for part in (1, 2):
                    normed = nn.functional.silu(layers[f"{name}.norm{part}"](inner))
                    inner = causal(layers[f"{name}.conv{part}.conv"], normed)
                x = layers.get(f"{name}.nin_shortcut", nn.Identity())(x) + inner
        return causal(layers["conv_out.conv"], nn.functional.silu(layers["norm_out"](x)))

    return answered(layers, run)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width, 1, 1, 1))

    def forward(self, x):
        return nn.functional.normalize(x, dim=1) * self.gamma.shape[0] ** 0.5 * self.gamma


def answered(layers, run):
    """The shapes of layers by their names in a file, and what they make of a random latent."""
    shapes = {f"{name}.{key}": list(value.shape) for name, layer in layers.items() for key, value in layer.state_dict().items()}
    inputs = {"latent": [1, 4, 3, 4, 5]}
    weights = weights_for({**shapes, **inputs})
    for name, layer in layers.items():
        layer.load_state_dict({key: weights[f"{name}.{key}"] for key in layer.state_dict()})
    return shapes, inputs, {"sharpened": run(weights["latent"])}


FAMILIES = {
    "hunyuan_image": hunyuan_image,
    "hunyuan_image_refiner": hunyuan_image_refiner,
    "hunyuan_video_15": hunyuan_video_15,
    "hunyuan_video_replaced": hunyuan_video_replaced,
    "hunyuan_refiner_vae": hunyuan_refiner_vae,
    "hunyuan_image_vae": hunyuan_image_vae,
    "hunyuan_upscaler_720": upscaler_720,
    "hunyuan_upscaler_1080": upscaler_1080,
}


if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
