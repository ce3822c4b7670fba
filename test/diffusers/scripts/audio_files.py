"""Computes answers of small networks of Stable Audio, as weight_files.py does for others.

    python audio_files.py [NAME ...]

Writes weight_files/NAME.json.
"""

import re
import sys

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from weight_files import main, published, weights_for

NAMES = (
    (r"^time_proj\.weight$", "timestep_features.weight"),
    (r"^timestep_proj\.", "to_timestep_embed."),
    (r"^global_proj\.", "to_global_embed."),
    (r"^cross_attention_proj\.", "to_cond_embed."),
    (r"^proj_(in|out)\.", r"transformer.project_\1."),
    (r"^transformer_blocks\.", "transformer.layers."),
    (r"\.norm1\.", ".pre_norm."),
    (r"\.norm2\.", ".cross_attend_norm."),
    (r"\.norm3\.", ".ff_norm."),
    (r"norm\.weight$", "norm.gamma"),
    (r"norm\.bias$", "norm.beta"),
    (r"\.attn1\.", ".self_attn."),
    (r"\.attn2\.", ".cross_attn."),
    (r"\.to_out\.0\.", ".to_out."),
    (r"\.ff\.net\.", ".ff.ff."),
)


def transformer_names(key):
    for pattern, name in NAMES:
        key = re.sub(pattern, name, key)
    for part, name in enumerate(("to_q", "to_k", "to_v")):
        if f".self_attn.{name}." in key:
            return key.replace(f".{name}.", ".to_qkv."), part, 3
        if f".cross_attn.{name}." in key and part > 0:
            return key.replace(f".{name}.", ".to_kv."), part - 1, 2
    return key


def audio_transformer():
    from diffusers import StableAudioDiTModel

    module = StableAudioDiTModel(
        in_channels=64, num_layers=2, attention_head_dim=64, num_attention_heads=2, num_key_value_attention_heads=1,
        out_channels=64, cross_attention_dim=64, time_proj_dim=16, global_states_input_dim=24, cross_attention_input_dim=12,
    )
    shapes, load = published(module, transformer_names)
    # The file has a matrix in place of the frequencies of the time.
    shapes["timestep_features.weight"] = [8, 1]
    numbers = "conditioner.conditioners.{}.embedder.embedding.{}"
    times = {}
    for name in ("seconds_start", "seconds_total"):
        times |= {numbers.format(name, "0.weights"): [3], numbers.format(name, "1.weight"): [12, 7],
                  numbers.format(name, "1.bias"): [12]}
    shapes |= {"transformer.rotary_pos_emb.inv_freq": [16], **times}
    inputs = {"x": [1, 64, 7], "text": [1, 5, 12]}
    weights = weights_for({**shapes, **inputs})
    load(weights | {"timestep_features.weight": weights["timestep_features.weight"].flatten()})

    def seconds(name, value):
        frequencies, matrix, bias = (weights[numbers.format(name, part)] for part in ("0.weights", "1.weight", "1.bias"))
        share = torch.tensor([value / 512])
        waves = share * frequencies * 2 * torch.pi
        return matrix @ torch.cat([share, waves.sin(), waves.cos()]) + bias

    both = torch.stack([seconds("seconds_start", 3.0), seconds("seconds_total", 47.0)])
    context = torch.cat([weights["text"], both[None]], dim=1)
    angles = torch.arange(8)[:, None] * weights["transformer.rotary_pos_emb.inv_freq"]
    angles = torch.cat([angles, angles], dim=-1)
    output = module(
        weights["x"], torch.tensor([0.7]), context, both.reshape(1, 1, -1), (angles.cos(), angles.sin()),
    ).sample
    return shapes, inputs, {"plain": output}


class Snake(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.alpha, self.beta = nn.Parameter(torch.zeros(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        alpha, beta = (number.exp()[:, None] for number in (self.alpha, self.beta))
        return x + (alpha * x).sin() ** 2 / (beta + 1e-9)


class Layers(nn.Module):
    def __init__(self, *layers, has_shortcut=False):
        super().__init__()
        self.layers, self.has_shortcut = nn.Sequential(*layers), has_shortcut

    def forward(self, x):
        return self.layers(x) + x if self.has_shortcut else self.layers(x)


def conv(inputs, outputs, kernel, **options):
    return weight_norm(nn.Conv1d(inputs, outputs, kernel, **options))


def residual(width, dilation):
    wide = conv(width, width, 7, padding=3 * dilation, dilation=dilation)
    return Layers(Snake(width), wide, Snake(width), conv(width, width, 1), has_shortcut=True)


def encoder_level(inputs, outputs, stride):
    blocks = [residual(inputs, dilation) for dilation in (1, 3, 9)]
    return Layers(*blocks, Snake(inputs), conv(inputs, outputs, 2 * stride, stride=stride, padding=(stride + 1) // 2))


def decoder_level(inputs, outputs, stride):
    larger = nn.ConvTranspose1d(inputs, outputs, 2 * stride, stride, (stride + 1) // 2)
    return Layers(Snake(inputs), weight_norm(larger), *[residual(outputs, dilation) for dilation in (1, 3, 9)])


def oobleck():
    module = nn.Module()
    module.encoder = Layers(
        conv(2, 4, 7, padding=3), encoder_level(4, 6, 2), encoder_level(6, 8, 4), Snake(8), conv(8, 128, 3, padding=1)
    )
    module.decoder = Layers(
        conv(64, 8, 7, padding=3), decoder_level(8, 6, 4), decoder_level(6, 4, 2), Snake(4),
        conv(4, 2, 7, padding=3, bias=False),
    )
    shapes, load = published(module, lambda key: key)
    inputs = {"audio": [1, 2, 4096], "latent": [1, 64, 5]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # The end of a long answer stands for all of it.
    encoded = module.encoder(weights["audio"])[:, :64, -8:]
    return shapes, inputs, {"encoded": encoded, "decoded": module.decoder(weights["latent"])}


FAMILIES = {"audio_transformer": audio_transformer, "oobleck": oobleck}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
