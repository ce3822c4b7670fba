"""Computes answers of small networks of ACE-Step, as weight_files.py does for others.

    python ace_step_files.py [NAME ...]

Writes weight_files/NAME.json. The autoencoder is that of diffusers. Diffusers lacks the transformer and the vocoder, so
they are written here in torch, formula by formula, from ACE-Step's own models (Apache-2.0): `ace_step_transformer.py`,
`attention.py`, `lyrics_utils/lyric_encoder.py`, `music_vocoder.py` and `music_log_mel.py`.
"""

import math
import sys

import torch
from torch.nn import functional as F
from weight_files import main, weights_for

HEAD = 128


def layer(name, outputs, *inputs, bias=True):
    return {f"{name}.weight": [outputs, *inputs]} | ({f"{name}.bias": [outputs]} if bias else {})


def transformer_shapes(width=256, lyric=16, heads=2, text=12):
    shapes = {}
    for index in range(2):
        block = f"transformer_blocks.{index}"
        shapes[f"{block}.scale_shift_table"] = [6, width]
        for part in ("attn", "cross_attn"):
            for name in ("to_q", "to_k", "to_v", "to_out.0"):
                shapes |= layer(f"{block}.{part}.{name}", width, width)
        shapes |= layer(f"{block}.ff.inverted_conv.conv", 24, width, 1) | layer(f"{block}.ff.depth_conv.conv", 24, 1, 3)
        shapes |= layer(f"{block}.ff.point_conv.conv", width, 12, 1, bias=False)
    shapes |= layer("timestep_embedder.linear_1", width, 16) | layer("timestep_embedder.linear_2", width, width)
    shapes |= layer("t_block.1", 6 * width, width) | layer("speaker_embedder", width, 5)
    shapes |= layer("genre_embedder", width, text) | {"lyric_embs.weight": [300, lyric]}
    shapes |= layer("lyric_encoder.embed.out.0", lyric, lyric) | layer("lyric_encoder.embed.out.1", lyric)
    shapes |= layer("lyric_encoder.after_norm", lyric)
    for index in range(2):
        block = f"lyric_encoder.encoders.{index}"
        for name in ("q", "k", "v", "out"):
            shapes |= layer(f"{block}.self_attn.linear_{name}", lyric, lyric)
        shapes |= layer(f"{block}.self_attn.linear_pos", lyric, lyric, bias=False)
        shapes |= {f"{block}.self_attn.pos_bias_{name}": [heads, lyric // heads] for name in "uv"}
        shapes |= layer(f"{block}.feed_forward.w_1", 20, lyric) | layer(f"{block}.feed_forward.w_2", lyric, 20)
        shapes |= layer(f"{block}.norm_ff", lyric) | layer(f"{block}.norm_mha", lyric)
    shapes |= layer("lyric_proj", width, lyric)
    shapes |= layer("proj_in.early_conv_layers.0", 64, 8, 16, 1) | layer("proj_in.early_conv_layers.1", 64)
    shapes |= layer("proj_in.early_conv_layers.2", width, 64, 1, 1)
    shapes |= {"final_layer.scale_shift_table": [2, width]} | layer("final_layer.linear", 128, width)
    return shapes


class Network:
    """Functions over weights by their names."""

    def __init__(self, weights):
        self.weights = weights

    def linear(self, name, x):
        return F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def norm(self, name, x, epsilon=1e-5):
        weight = self.weights[f"{name}.weight"]
        return F.layer_norm(x, weight.shape, weight, self.weights[f"{name}.bias"], epsilon)

    def conv(self, name, x, **options):
        weight = self.weights[f"{name}.weight"]
        function = F.conv1d if weight.ndim == 3 else F.conv2d
        return function(x, weight, self.weights.get(f"{name}.bias"), **options)


def rms(x):
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()


def turned(x):
    """[batch, tokens, width] to heads [batch, heads, tokens, 128], each pair of columns turned by two angles."""
    heads = x.unflatten(-1, (-1, HEAD)).transpose(1, 2)
    speeds = 1_000_000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
    angles = torch.arange(heads.shape[2])[:, None] * torch.cat([speeds, speeds])
    result = torch.empty_like(heads)
    even, odd = heads[..., 0::2], heads[..., 1::2]
    result[..., 0::2] = even * angles.cos()[:, 0::2] - odd * angles.sin()[:, 0::2]
    result[..., 1::2] = odd * angles.cos()[:, 1::2] + even * angles.sin()[:, 1::2]
    return result


def lyric_encoder(net, ids):
    x = net.norm("lyric_encoder.embed.out.1", net.linear("lyric_encoder.embed.out.0", net.weights["lyric_embs.weight"][ids]))
    width, count = x.shape[-1], x.shape[1]
    x = x * math.sqrt(width)

    def place(distance):
        angles = distance * torch.exp(torch.arange(0, width, 2) * -(math.log(10_000) / width))
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten()

    for index in range(2):
        name = f"lyric_encoder.encoders.{index}"
        u, v = (net.weights[f"{name}.self_attn.pos_bias_{part}"] for part in "uv")
        normed = net.norm(f"{name}.norm_mha", x)
        q, k, value = (
            net.linear(f"{name}.self_attn.linear_{part}", normed).unflatten(-1, u.shape) for part in "qkv"
        )
        scores = torch.empty(x.shape[0], u.shape[0], count, count)
        for row in range(count):
            for column in range(count):
                position = net.linear(f"{name}.self_attn.linear_pos", place(row - column)).unflatten(-1, u.shape)
                by_content = ((q[:, row] + u) * k[:, column]).sum(-1)
                scores[:, :, row, column] = (by_content + ((q[:, row] + v) * position).sum(-1)) / math.sqrt(u.shape[1])
        mixed = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), value).flatten(2)
        x = x + net.linear(f"{name}.self_attn.linear_out", mixed)
        inner = F.silu(net.linear(f"{name}.feed_forward.w_1", net.norm(f"{name}.norm_ff", x)))
        x = x + net.linear(f"{name}.feed_forward.w_2", inner)
    return net.linear("lyric_proj", net.norm("lyric_encoder.after_norm", x))


def block(net, name, x, context, time):
    shift, scale, gate, last_shift, last_scale, last_gate = (net.weights[f"{name}.scale_shift_table"] + time).unbind(0)
    normed = rms(x) * (1 + scale) + shift
    q, k = (F.relu(turned(net.linear(f"{name}.attn.{part}", normed))) for part in ("to_q", "to_k"))
    v = net.linear(f"{name}.attn.to_v", normed).unflatten(-1, (-1, HEAD)).transpose(1, 2)
    shares = q @ k.transpose(-1, -2)
    mixed = (shares @ v / (shares.sum(-1, keepdim=True) + 1e-15)).transpose(1, 2).flatten(2)
    x = x + gate * net.linear(f"{name}.attn.to_out.0", mixed)
    q, k = turned(net.linear(f"{name}.cross_attn.to_q", x)), turned(net.linear(f"{name}.cross_attn.to_k", context))
    v = net.linear(f"{name}.cross_attn.to_v", context).unflatten(-1, (-1, HEAD)).transpose(1, 2)
    mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
    x = x + net.linear(f"{name}.cross_attn.to_out.0", mixed)
    inner = (rms(x) * (1 + last_scale) + last_shift).transpose(1, 2)
    inner = net.conv(f"{name}.ff.depth_conv.conv", F.silu(net.conv(f"{name}.ff.inverted_conv.conv", inner)), padding=1, groups=24)
    value, gates = inner.chunk(2, dim=1)
    return x + last_gate * net.conv(f"{name}.ff.point_conv.conv", value * F.silu(gates)).transpose(1, 2)


def ace_step(net, x, timestep, text, ids, strength):
    speeds = torch.exp(-math.log(10_000) * torch.arange(8) / 8)
    angles = timestep * speeds
    first = net.linear("timestep_embedder.linear_1", torch.cat([angles.cos(), angles.sin()]))
    time = net.linear("timestep_embedder.linear_2", F.silu(first))
    parts = net.linear("t_block.1", F.silu(time)).unflatten(-1, (6, -1))
    voice = net.linear("speaker_embedder", torch.zeros(x.shape[0], 1, 5))
    context = torch.cat([voice, net.linear("genre_embedder", text), strength * lyric_encoder(net, ids)], dim=1)
    patches = net.conv("proj_in.early_conv_layers.0", x, stride=(16, 1))
    weights = [net.weights[f"proj_in.early_conv_layers.1.{part}"] for part in ("weight", "bias")]
    patches = net.conv("proj_in.early_conv_layers.2", F.group_norm(patches, 32, *weights, 1e-6))
    tokens = patches.flatten(2).transpose(1, 2)
    for index in range(2):
        tokens = block(net, f"transformer_blocks.{index}", tokens, context, parts)
    shift, scale = (net.weights["final_layer.scale_shift_table"] + time).unbind(0)
    output = net.linear("final_layer.linear", rms(tokens) * (1 + scale) + shift)
    return output.unflatten(-1, (16, 8)).permute(0, 3, 2, 1)


def ace_transformer():
    shapes = transformer_shapes()
    inputs = {"x": [1, 8, 16, 5], "text": [1, 4, 12]}
    weights = weights_for({**shapes, **inputs})
    net = Network(weights)

    def run(ids, strength):
        return ace_step(net, weights["x"], 700.0, weights["text"], torch.tensor([ids]), strength)

    return shapes, inputs, {"plain": run([261, 3, 4, 2], 1.0), "weak": run([261, 3, 4, 2], 0.25), "one token": run([261], 1.0)}


def published_autoencoder():
    from diffusers import AutoencoderDC

    return AutoencoderDC(
        in_channels=2, latent_channels=8, attention_head_dim=32,
        encoder_block_types=(*["ResBlock"] * 3, "EfficientViTBlock"),
        decoder_block_types=(*["ResBlock"] * 3, "EfficientViTBlock"),
        encoder_block_out_channels=(8, 8, 16, 32), decoder_block_out_channels=(8, 8, 16, 32),
        encoder_layers_per_block=(1,) * 4, decoder_layers_per_block=(1,) * 4,
        encoder_qkv_multiscales=((), (), (5,), (5,)), decoder_qkv_multiscales=((), (), (5,), (5,)),
        upsample_block_type="interpolate", downsample_block_type="Conv", decoder_norm_types="rms_norm",
        decoder_act_fns="silu",
    )


STRIDES = (4, 2)


def vocoder_shapes(bands=128):
    normed = lambda name, *shape: {
        f"{name}.bias": [shape[0]], f"{name}.weight_g": [shape[0], 1, 1], f"{name}.weight_v": list(shape)}
    shapes = layer("vocoder.backbone.channel_layers.0.0", 6, bands, 7) | layer("vocoder.backbone.channel_layers.0.1", 6)
    shapes |= layer("vocoder.backbone.channel_layers.1.0", 6) | layer("vocoder.backbone.channel_layers.1.1", 8, 6, 1)
    for stage, width in enumerate((6, 8)):
        name = f"vocoder.backbone.stages.{stage}.0"
        shapes |= layer(f"{name}.dwconv", width, 1, 7) | layer(f"{name}.norm", width) | {f"{name}.gamma": [width]}
        shapes |= layer(f"{name}.pwconv1", 2 * width, width) | layer(f"{name}.pwconv2", width, 2 * width)
    shapes |= layer("vocoder.backbone.norm", 8) | normed("vocoder.head.conv_pre", 16, 8, 13)
    for level, stride in enumerate(STRIDES):
        width = 16 >> level
        up = normed(f"vocoder.head.ups.{level}", width, width // 2, 2 * stride)
        shapes |= up | {f"vocoder.head.ups.{level}.bias": [width // 2]}
        for index, kernel in enumerate((3, 7)):
            for convs in ("convs1", "convs2"):
                for number in range(3):
                    name = f"vocoder.head.resblocks.{2 * level + index}.{convs}.{number}"
                    shapes |= normed(name, width // 2, width // 2, kernel)
    return shapes | normed("vocoder.head.conv_post", 1, 4, 13)


def vocoder(net, mels):
    def weight(name):
        return torch._weight_norm(net.weights[f"{name}.weight_v"], net.weights[f"{name}.weight_g"], 0)

    def conv(name, x, dilation=1):
        own = weight(name)
        return F.conv1d(x, own, net.weights[f"{name}.bias"], padding=dilation * (own.shape[2] - 1) // 2, dilation=dilation)

    channels = lambda name, x: net.norm(name, x.transpose(1, 2), 1e-6).transpose(1, 2)
    x = mels
    for stage in range(2):
        name = f"vocoder.backbone.channel_layers.{stage}"
        if stage == 0:
            x = channels(f"{name}.1", net.conv(f"{name}.0", F.pad(x, (3, 3), mode="replicate")))
        else:
            x = net.conv(f"{name}.1", channels(f"{name}.0", x))
        name = f"vocoder.backbone.stages.{stage}.0"
        inner = net.conv(f"{name}.dwconv", x, padding=3, groups=x.shape[1]).transpose(1, 2)
        inner = F.gelu(net.linear(f"{name}.pwconv1", net.norm(f"{name}.norm", inner, 1e-6)))
        x = x + (net.weights[f"{name}.gamma"] * net.linear(f"{name}.pwconv2", inner)).transpose(1, 2)
    x = conv("vocoder.head.conv_pre", channels("vocoder.backbone.norm", x))
    for level, stride in enumerate(STRIDES):
        name = f"vocoder.head.ups.{level}"
        x = F.conv_transpose1d(F.silu(x), weight(name), net.weights[f"{name}.bias"], stride=stride, padding=stride // 2)
        results = []
        for index in range(2):
            block, last = f"vocoder.head.resblocks.{2 * level + index}", x
            for number, dilation in enumerate((1, 3, 5)):
                inner = conv(f"{block}.convs1.{number}", F.silu(last), dilation)
                last = last + conv(f"{block}.convs2.{number}", F.silu(inner))
            results.append(last)
        x = sum(results) / 2
    return conv("vocoder.head.conv_post", F.silu(x)).tanh()


def loudness(audio):
    """[2, samples] to logarithms of mel bands, [2, 128, steps]. The filters are those of transformers."""
    from transformers.audio_utils import mel_filter_bank

    filters = torch.tensor(mel_filter_bank(1025, 128, 40, 16_000, 44_100, norm="slaney", mel_scale="slaney"))
    padded = F.pad(audio[None], (768, 768), mode="reflect")[0]
    spectrum = torch.stft(padded, 2048, 512, 2048, torch.hann_window(2048), center=False, return_complex=True)
    loud = (spectrum.abs().square() + 1e-6).sqrt()
    return (loud.transpose(-1, -2).double() @ filters).transpose(-1, -2).clamp(min=1e-5).log().float()


def ace_autoencoder():
    module = published_autoencoder()
    shapes = {f"dcae.{name}": list(value.shape) for name, value in module.state_dict().items()} | vocoder_shapes()
    inputs = {"latent": [1, 8, 16, 2], "audio": [1, 2, 8192]}
    weights = weights_for({**shapes, **inputs})
    # Smaller weights lose the input on the way.
    for name in shapes:
        weights[name] *= 5 if name.endswith("weight_g") else 3 if weights[name].ndim > 1 else 1
    module.load_state_dict({name: weights[f"dcae.{name}"] for name in module.state_dict()})
    module.eval()
    mels = loudness(weights["audio"][0])
    encoded = (module.encoder((mels[None] + 11) / 14 * 2 - 1) + 1.9091) * 0.1786
    decoded = (module.decoder(weights["latent"] / 0.1786 - 1.9091) * 0.5 + 0.5) * 14 - 11
    waves = vocoder(Network(weights), decoded[0])[:, 0]
    return shapes, inputs, {"encoded": encoded, "decoded": waves[None], "loudness": mels[:, ::8]}


FAMILIES = {"ace_transformer": ace_transformer, "ace_autoencoder": ace_autoencoder}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
