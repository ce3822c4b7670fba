"""Computes UNet answers with model patches: writes patches.json, and unet_deep, a UNet of three levels by torch's newer exporter.

    python patches.py

The patches follow their papers. They run in a forward pass that is checked against that of diffusers.
"""

import json
import math

import onnx
import torch
import torch.nn.functional as F
from diffusers import UNet2DConditionModel

from from_onnx import HERE, rounded, unet

TIMESTEP = 321
CHANNELS = (3, 6, 12)


def as_stored(*shape):
    return (torch.randn(*shape) * 1e4).round() / 1e4


class Plain:
    """The hooks of a patch. Block numbers are those of the original UNet."""

    def before_skip(self, number, h):
        return h

    def after_skip(self, number, h):
        return h

    def join(self, h, skip):
        return h, skip

    def attend(self, attn, x, level):
        return attention(attn, x, x)


def attention(attn, asking, seen):
    def heads(matrix, x):
        return matrix(x).unflatten(-1, (attn.heads, -1)).transpose(1, 2)

    made = F.scaled_dot_product_attention(heads(attn.to_q, asking), heads(attn.to_k, seen), heads(attn.to_v, seen))
    return attn.to_out[0](made.transpose(1, 2).flatten(2))


def forward(network, x, text, change=None):
    change = change or Plain()
    time = network.time_embedding(network.time_proj(torch.tensor([TIMESTEP])).to(x.dtype))
    levels = len(network.down_blocks)

    def transformed(block, h, level):
        for layer in block.transformer_blocks:
            layer.attn1.forward = lambda x, *_, attn=layer.attn1, **__: change.attend(attn, x, level)
        h = block(h, encoder_hidden_states=text, return_dict=False)[0]
        for layer in block.transformer_blocks:
            del layer.attn1.forward
        return h

    h, skips = network.conv_in(x), []
    skips.append(h)
    number = 0

    def keep(h):
        nonlocal number
        number += 1
        h = change.before_skip(number, h)
        skips.append(h)
        return change.after_skip(number, h)

    for level, block in enumerate(network.down_blocks):
        for index, resnet in enumerate(block.resnets):
            h = resnet(h, time)
            if getattr(block, "attentions", None):
                h = transformed(block.attentions[index], h, level)
            h = keep(h)
        for part in block.downsamplers or []:
            h = keep(part(h))
    middle = network.mid_block
    h = middle.resnets[1](transformed(middle.attentions[0], middle.resnets[0](h, time), levels - 1), time)
    for index, block in enumerate(network.up_blocks):
        for layer, resnet in enumerate(block.resnets):
            h = resnet(torch.cat(change.join(h, skips.pop()), 1), time)
            if getattr(block, "attentions", None):
                h = transformed(block.attentions[layer], h, levels - 1 - index)
        for part in block.upsamplers or []:
            h = part(h)
    return network.conv_out(network.conv_act(network.conv_norm_out(h)))


class FreeU(Plain):
    """Si et al., 2023: b on half of the channels, s on the four frequencies in the middle of the shifted spectrum."""

    def __init__(self, first, b1, b2, s1, s2, structured):
        self.factors = {first * 4: (b1, s1), first * 2: (b2, s2)}
        self.structured = structured

    def join(self, h, skip):
        b, s = self.factors.get(h.shape[1], (1, 1))
        half = h.shape[1] // 2
        factor = torch.tensor(float(b))
        if self.structured:
            mean = h.mean(1, keepdim=True)
            least, most = mean.amin((2, 3), keepdim=True), mean.amax((2, 3), keepdim=True)
            factor = (b - 1) * (mean - least) / (most - least) + 1
        h = torch.cat([h[:, :half] * factor, h[:, half:]], 1)
        spectrum = torch.fft.fftshift(torch.fft.fft2(skip), dim=(-2, -1))
        row, column = skip.shape[2] // 2, skip.shape[3] // 2
        spectrum[..., row - 1:row + 1, column - 1:column + 1] *= s
        return h, torch.fft.ifft2(torch.fft.ifftshift(spectrum, dim=(-2, -1))).real


def bislerp(x, height, width):
    """Interpolates between neighbours along the arc between their directions, columns first."""
    def along(x, size):
        place = ((torch.arange(size) + 0.5) * x.shape[-1] / size - 0.5).clamp(0, x.shape[-1] - 1)
        low = place.floor().long()
        a, b, share = x[..., low], x[..., (low + 1).clamp(max=x.shape[-1] - 1)], place - low
        a_length, b_length = a.norm(dim=1, keepdim=True), b.norm(dim=1, keepdim=True)
        cosine = (a / a_length * b / b_length).sum(1, keepdim=True)
        angle = cosine.clamp(-1, 1).acos()
        arc = ((1 - share) * angle).sin() / angle.sin() * a / a_length + (share * angle).sin() / angle.sin() * b / b_length
        return torch.where(cosine > 1 - 1e-5, a, arc * ((1 - share) * a_length + share * b_length))

    return along(along(x, width).mT, height).mT


def resized(x, height, width, method):
    if method == "bislerp":
        return bislerp(x, height, width)
    return F.interpolate(x, (height, width), mode=method)


class Downscale(Plain):
    def __init__(self, block, factor, after, down, up):
        self.block, self.factor, self.after, self.down, self.up = block, factor, after, down, up

    def smaller(self, number, h, after):
        if number != self.block or after != self.after:
            return h
        return resized(h, round(h.shape[2] / self.factor), round(h.shape[3] / self.factor), self.down)

    def before_skip(self, number, h):
        return self.smaller(number, h, False)

    def after_skip(self, number, h):
        return self.smaller(number, h, True)

    def join(self, h, skip):
        return (h if h.shape[2:] == skip.shape[2:] else resized(h, *skip.shape[2:], self.up)), skip


def drawing():
    generator = torch.Generator().manual_seed(TIMESTEP * 1000)
    return lambda count, *shape: torch.randint(count, shape, generator=generator)


class HyperTile(Plain):
    def __init__(self, x, tile, swap, depth, scale):
        self.size, self.tile, self.swap, self.depth, self.scale = x.shape[2:], tile // 8, swap, depth, scale
        self.draw = drawing()
        self.drawn = []

    def count(self, size, least):
        counts = [size // tile for tile in range(min(least, size), size + 1) if size % tile == 0][:self.swap]
        return counts[int(self.draw(len(counts), 1))]

    def attend(self, attn, x, level):
        depth = round(math.log2(x.shape[2] / self.first))
        if depth > self.depth:
            return attention(attn, x, x)
        # The random counts are drawn for every layer, even where they cannot be used.
        least = self.tile * (2 ** (2 ** depth - 1) if self.scale else 1)
        height, width = (size // 2 ** level for size in self.size)
        rows, columns = self.count(height, least), self.count(width, least)
        self.drawn.append((rows, columns))
        if x.shape[1] != height * width:
            return attention(attn, x, x)
        out = torch.zeros_like(x).unflatten(1, (height, width))
        image = x.unflatten(1, (height, width))
        for row in range(rows):
            for column in range(columns):
                tall, wide = height // rows, width // columns
                place = (slice(None), slice(row * tall, (row + 1) * tall), slice(column * wide, (column + 1) * wide))
                part = image[place].flatten(1, 2)
                out[place] = attention(attn, part, part).unflatten(1, (tall, wide))
        return out.flatten(1, 2)


class MergedTokens(Plain):
    """Bolya and Hoffman, 2023, section 3, with one target in each 2 x 2 tokens."""

    def __init__(self, x, ratio):
        (self.height, self.width), self.ratio = x.shape[2:], ratio
        chosen = drawing()(4, self.height // 2, self.width // 2)
        self.targets = [
            (2 * row + int(chosen[row, column]) // 2) * self.width + 2 * column + int(chosen[row, column]) % 2
            for row in range(self.height // 2) for column in range(self.width // 2)
        ]
        self.targets.sort()
        self.sources = [token for token in range(self.height * self.width) if token not in self.targets]

    def attend(self, attn, x, level):
        if x.shape[1] != self.height * self.width:
            return attention(attn, x, x)
        return torch.cat([self.one(attn, x[index:index + 1]) for index in range(len(x))])

    def one(self, attn, x):
        tokens = x[0]
        normed = tokens / tokens.norm(dim=-1, keepdim=True)
        best, which = (normed[self.sources] @ normed[self.targets].T).max(-1)
        merged = best.argsort(descending=True)[:int(len(tokens) * self.ratio)].tolist()
        target_of = {self.sources[one]: self.targets[int(which[one])] for one in merged}
        groups = {token: [token] for token in range(len(tokens)) if token not in target_of}
        for source, target in target_of.items():
            groups[target].append(source)
        asking = torch.stack([tokens[group].mean(0) for group in groups.values()])[None]
        answers = dict(zip(groups, attention(attn, asking, x)[0]))
        return torch.stack([answers[target_of.get(token, token)] for token in range(len(tokens))])[None]


class Together(Plain):
    """The block hooks of one patch with the attention of another. `perturbed` disables attention in the middle (Ahn et al., 2024)."""

    def __init__(self, blocks, seeing, perturbed=False):
        self.blocks, self.seeing, self.perturbed = blocks, seeing, perturbed
        self.before_skip, self.after_skip, self.join = blocks.before_skip, blocks.after_skip, blocks.join

    def attend(self, attn, x, level):
        seen = self.seeing.attend(attn, x, level)
        return attn.to_out[0](attn.to_v(x)) if self.perturbed and level == self.last else seen


def deep():
    """A UNet of three levels with 3 attention heads."""
    torch.manual_seed(7)
    network = UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, block_out_channels=CHANNELS, layers_per_block=1, cross_attention_dim=6,
        attention_head_dim=3, norm_num_groups=3, down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return network.eval()


def export_deep(network):
    (HERE / "unet_deep").mkdir(exist_ok=True)
    file = HERE / "unet_deep" / "model.onnx"
    original = network.forward
    network.forward = lambda sample, timestep, encoder_hidden_states: original(
        sample, timestep, encoder_hidden_states, return_dict=False)[0]
    size = {name: torch.export.Dim(name) for name in ("batch", "tokens")}
    height, width = (8 * torch.export.Dim(name, min=1, max=64) for name in ("rows", "columns"))
    torch.onnx.export(
        network, (torch.randn(2, 4, 16, 24), torch.tensor([TIMESTEP]), torch.randn(2, 5, 6)), dynamo=True, opset_version=18,
        input_names=["sample", "timestep", "encoder_hidden_states"], output_names=["out_sample"],
        dynamic_shapes=({0: size["batch"], 2: height, 3: width}, None, {0: size["batch"], 1: size["tokens"]}),
    ).save(file)
    network.forward = original
    model = onnx.load(file)
    # Most of the file would be the stack traces of the nodes, with local paths.
    for node in model.graph.node:
        scopes = [prop.value for prop in node.metadata_props if prop.key == "pkg.torch.onnx.name_scopes"]
        del node.metadata_props[:]
        for value in scopes:
            node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=value)
    del model.graph.value_info[:]
    del model.graph.metadata_props[:]
    onnx.save(model, file)
    values = {key: network.config[key] for key in ("in_channels", "block_out_channels", "layers_per_block")}
    (HERE / "unet_deep" / "config.json").write_text(json.dumps(values) + "\n")


def answers_of(network, first, x, text):
    def answer(change=None):
        with torch.no_grad():
            return [round(number, 5) for number in rounded(forward(network, x, text, change))["data"]]

    def tiles(*options):
        change = HyperTile(x, *options)
        change.first = first
        return change

    def tiled(*options):
        change = tiles(*options)
        made = answer(change)
        return made, change.drawn

    def together(*parts):
        change = Together(*parts)
        change.last = len(network.down_blocks) - 1
        return answer(change)

    with torch.no_grad():
        given = network(x, torch.tensor([TIMESTEP]), text).sample
    assert (given - torch.tensor(answer()).reshape(given.shape)).abs().max() < 2e-5
    answers = {
        "plain": answer(),
        "FreeU": answer(FreeU(first, 1.1, 1.2, 0.9, 0.2, False)),
        "FreeU_V2": answer(FreeU(first, 1.3, 1.4, 0.9, 0.2, True)),
        "TomePatchModel": {ratio: answer(MergedTokens(x, ratio)) for ratio in (0.3, 0.75)},
        "PatchModelAddDownscale": {
            method: answer(Downscale(2, 1.5, True, method, method))
            for method in ("bicubic", "nearest-exact", "bilinear", "area", "bislerp")
        } | {"before": answer(Downscale(1, 2, False, "bilinear", "bicubic"))},
    }
    tilings = {"shallow": (32, 2, 0, False), "deep": (32, 3, 2, False), "scaled": (32, 1, 2, True)}
    answers["HyperTile"] = {}
    for name, options in tilings.items():
        answers["HyperTile"][name], drawn = tiled(*options)
        print(name, drawn)
    free_u, every = FreeU(first, 1.1, 1.2, 0.9, 0.2, False), (32, 3, 2, False)
    half = Downscale(1, 2, False, "bilinear", "bicubic")
    answers["together"] = {
        "plain": together(free_u, tiles(*every)), "perturbed": together(free_u, tiles(*every), True),
        "tiled": together(half, tiles(*every)), "merged": together(half, MergedTokens(x, 0.75)),
    }
    for name, values in answers.items():
        for kind, numbers in values.items() if isinstance(values, dict) else [("", values)]:
            off = max(abs(a - b) for a, b in zip(numbers, answers["plain"]))
            print(name, kind, "differs by", round(off, 4))
    return answers


if __name__ == "__main__":
    torch.manual_seed(3)
    x, text = as_stored(1, 4, 12, 8), as_stored(1, 5, 6)
    network = deep()
    export_deep(network)
    made = {"x": rounded(x), "text": rounded(text), "timestep": TIMESTEP}
    for name, module, first in (("unet", unet(), 4), ("unet_deep", network, CHANNELS[0])):
        made[name] = answers_of(module, first, x, text)
    (HERE / "patches.json").write_text(json.dumps(made) + "\n")
