"""Computes answers of small networks of Stable Cascade, as weight_files.py does for others.

    python cascade_files.py [NAME ...]

Writes weight_files/NAME.json. The autoencoders are written out here,
after their published descriptions.
"""

import sys

import torch
from torch import nn
from weight_files import main, published, weights_for


def unet_names(key):
    for part, name in enumerate(("to_q", "to_k", "to_v")):
        if f".attention.{name}." in key:
            return key.replace(f".attention.{name}.", ".attention.attn.in_proj_"), part, 3
    return key.replace(".attention.to_out.0.", ".attention.attn.out_proj.")


def stage_c():
    from diffusers.models import StableCascadeUNet

    module = StableCascadeUNet(
        conditioning_dim=32, block_out_channels=(64, 64), num_attention_heads=(1, 1), down_num_layers_per_block=(1, 2),
        up_num_layers_per_block=(2, 1), clip_text_in_channels=20, clip_text_pooled_in_channels=16,
        clip_image_in_channels=768, switch_level=(False,),
    )
    shapes, load = published(module, unet_names)
    inputs = {"x": [1, 16, 3, 4], "text": [1, 5, 20], "pooled": [1, 16], "image": [1, 2, 768]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    time, pooled = torch.tensor([0.7]), weights["pooled"][None]
    answers = {
        "varied": module(weights["x"], time, pooled, weights["text"], weights["image"]).sample,
        "plain": module(weights["x"], time, pooled, weights["text"], torch.zeros(1, 1, 768)).sample,
    }
    return shapes, inputs, answers


def stage_b():
    from diffusers.models import StableCascadeUNet

    blocks = ("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock")
    module = StableCascadeUNet(
        in_channels=4, out_channels=4, patch_size=2, conditioning_dim=32, block_out_channels=(32, 64),
        num_attention_heads=(-1, 1), down_num_layers_per_block=(1, 1), up_num_layers_per_block=(1, 1),
        down_blocks_repeat_mappers=(1, 1), up_blocks_repeat_mappers=(2, 1), block_types_per_layer=(blocks[:2], blocks),
        clip_text_pooled_in_channels=16, effnet_in_channels=16, pixel_mapper_in_channels=3, dropout=(0.1, 0.1),
        timestep_conditioning_type=("sca",),
    )
    shapes, load = published(
        module, lambda key: unet_names(key.replace("clip_txt_pooled_mapper.", "clip_mapper."))
    )
    inputs = {"x": [1, 4, 10, 6], "pooled": [1, 16], "prior": [1, 16, 2, 3]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    time, pooled = torch.tensor([0.7]), weights["pooled"][None]
    return shapes, inputs, {"plain": module(weights["x"], time, pooled, effnet=weights["prior"]).sample}


def loaded(module, inputs):
    """The shapes of a module's weights, and the weights and inputs. Variances are positive."""
    shapes, load = published(module, lambda key: key)
    weights = weights_for({**shapes, **inputs})
    for name in shapes:
        if name.endswith("running_var"):
            weights[name] = weights[name].abs() + 0.5
    load(weights)
    return shapes, weights


class ScaledBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.depthwise = nn.Sequential(nn.ReplicationPad2d(1), nn.Conv2d(width, width, 3, groups=width))
        self.channelwise = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.gammas = nn.Parameter(torch.zeros(6))

    def forward(self, x):
        g = self.gammas
        first = self.norm(x.permute(0, 2, 3, 1)) * (1 + g[0]) + g[1]
        x = x + self.depthwise(first.permute(0, 3, 1, 2)) * g[2]
        second = self.norm(x.permute(0, 2, 3, 1)) * (1 + g[3]) + g[4]
        return x + self.channelwise(second).permute(0, 3, 1, 2) * g[5]


class StageA(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_block = nn.Sequential(nn.PixelUnshuffle(2), nn.Conv2d(12, 16, 1))
        last = nn.Sequential(nn.Conv2d(32, 4, 1, bias=False), nn.BatchNorm2d(4))
        self.down_blocks = nn.Sequential(ScaledBlock(16), nn.Conv2d(16, 32, 4, 2, 1), ScaledBlock(32), last)
        self.vquantizer = nn.Module()
        self.vquantizer.codebook = nn.Embedding(16, 4)
        first = nn.Sequential(nn.Conv2d(4, 32, 1))
        levels = [ScaledBlock(32), ScaledBlock(32), nn.ConvTranspose2d(32, 16, 4, 2, 1), ScaledBlock(16)]
        self.up_blocks = nn.Sequential(first, *levels)
        self.out_block = nn.Sequential(nn.Conv2d(16, 12, 1), nn.PixelShuffle(2))


def stage_a():
    module = StageA()
    inputs = {"image": [1, 3, 8, 12], "latent": [1, 4, 2, 3]}
    shapes, weights = loaded(module, inputs)
    answers = {
        "encoded": module.down_blocks(module.in_block(weights["image"] / 2 + 0.5)),
        "decoded": module.out_block(module.up_blocks(weights["latent"])) * 2 - 1,
    }
    return shapes, inputs, answers


class Layer(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, is_active=True):
        filtered = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        super().__init__(filtered, nn.BatchNorm2d(outputs, eps=1e-3), *([nn.SiLU()] if is_active else []))


class Excitation(nn.Module):
    def __init__(self, channels, inner):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, inner, 1), nn.Conv2d(inner, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.fc2(nn.functional.silu(self.fc1(x.mean((2, 3), keepdim=True)))))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, *layers):
        super().__init__()
        self.block = nn.Sequential(*layers)
        self.has_shortcut = stride == 1 and inputs == outputs

    def forward(self, x):
        return self.block(x) + x if self.has_shortcut else self.block(x)


def fused(inputs, outputs, stride, expansion):
    if expansion == 1:
        return Block(inputs, outputs, stride, Layer(inputs, outputs, 3, stride))
    inner = inputs * expansion
    return Block(
        inputs, outputs, stride, Layer(inputs, inner, 3, stride), Layer(inner, outputs, 1, is_active=False)
    )


def separable(inputs, outputs, stride, expansion):
    inner = inputs * expansion
    return Block(
        inputs, outputs, stride, Layer(inputs, inner, 1), Layer(inner, inner, 3, stride, inner),
        Excitation(inner, 2), Layer(inner, outputs, 1, is_active=False),
    )


class Coder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Module()
        self.encoder.backbone = nn.Sequential(
            Layer(3, 4, 3, 2),
            nn.Sequential(fused(4, 4, 1, 1), fused(4, 4, 1, 1)),
            nn.Sequential(fused(4, 6, 2, 2), fused(6, 6, 1, 2)),
            nn.Sequential(fused(6, 6, 2, 2)),
            nn.Sequential(separable(6, 8, 2, 2), separable(8, 8, 1, 2)),
            nn.Sequential(separable(8, 8, 1, 2)),
            nn.Sequential(separable(8, 10, 2, 2)),
            Layer(10, 12, 1),
        )
        self.encoder.mapper = nn.Sequential(nn.Conv2d(12, 16, 1, bias=False), nn.BatchNorm2d(16, affine=False))
        self.previewer = nn.Module()
        wide = [(16, 8, 1), (8, 8, 3), (8, 4, -2), (4, 4, 3), (4, 2, -2), (2, 2, 3), (2, 2, -2), (2, 2, 3)]
        layers = []
        for inputs, outputs, kernel in wide:
            resizing = nn.ConvTranspose2d(inputs, outputs, 2, 2) if kernel < 0 else None
            layers += [resizing or nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2), nn.GELU()]
            layers += [nn.BatchNorm2d(outputs)]
        self.previewer.blocks = nn.Sequential(*layers, nn.Conv2d(2, 3, 1))


def stage_c_coder():
    module = Coder()
    inputs = {"image": [1, 3, 64, 96], "latent": [1, 16, 2, 3]}
    shapes, weights = loaded(module, inputs)
    mean, deviation = (torch.tensor(values)[None, :, None, None] for values in
                       ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    pixels = (weights["image"] * 0.5 + 0.5 - mean) / deviation
    answers = {
        "encoded": module.encoder.mapper(module.encoder.backbone(pixels)),
        "decoded": (module.previewer.blocks(weights["latent"]) - 0.5) * 2,
    }
    return shapes, inputs, answers


FAMILIES = {f"cascade/{function.__name__}": function for function in (stage_c, stage_b, stage_a, stage_c_coder)}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
