"""Computes answers of small networks of Wan for people, as weight_files.py does for others.

    python wan_people_files.py [NAME ...]

Writes weight_files/NAME.json. Wan Animate is that of diffusers. Diffusers lacks HuMo and S2V, so they are written here in
torch, formula by formula, from the models of their authors (Apache-2.0): `humo/models/wan_modules/model_humo.py` and
`wan/modules/s2v`. The times of tokens are those of ComfyUI, which shares tokens out to times evenly.
"""

import re
import sys

import torch
from torch.nn import functional as F
from weight_files import main, published, wan_names, weights_for

WIDTH, TEXT, TIMES, INNER, CHANNELS = 128, 6, 16, 20, 4
# Latents have larger numbers than weights.
STRONGER = 30


def layer(name, outputs, *inputs, bias=True):
    return {f"{name}.weight": [outputs, *inputs]} | ({f"{name}.bias": [outputs]} if bias else {})


def attention(name, inputs=WIDTH):
    shapes = layer(f"{name}.q", WIDTH, WIDTH) | layer(f"{name}.k", WIDTH, inputs) | layer(f"{name}.v", WIDTH, inputs)
    return shapes | layer(f"{name}.o", WIDTH, WIDTH) | {f"{name}.norm_{part}.weight": [WIDTH] for part in "qk"}


def network(blocks, channels=CHANNELS):
    shapes = layer("patch_embedding", WIDTH, channels, 1, 2, 2) | layer("text_embedding.0", WIDTH, TEXT)
    shapes |= layer("text_embedding.2", WIDTH, WIDTH) | layer("time_embedding.0", WIDTH, TIMES)
    shapes |= layer("time_embedding.2", WIDTH, WIDTH) | layer("time_projection.1", 6 * WIDTH, WIDTH)
    for index in range(blocks):
        name = f"blocks.{index}"
        shapes |= {f"{name}.modulation": [1, 6, WIDTH]} | attention(f"{name}.self_attn") | attention(f"{name}.cross_attn")
        shapes |= layer(f"{name}.norm3", WIDTH) | layer(f"{name}.ffn.0", INNER, WIDTH) | layer(f"{name}.ffn.2", WIDTH, INNER)
    return shapes | {"head.modulation": [1, 2, WIDTH]} | layer("head.head", 4 * CHANNELS, WIDTH)


class Network:
    def __init__(self, weights):
        self.weights = weights

    def linear(self, name, x):
        return F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def rms(self, name, x):
        return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * self.weights[f"{name}.weight"]

    def patches(self, name, x):
        """[batch, channels, frames, rows, columns] to tokens, [batch, tokens, width]."""
        kernel = self.weights[f"{name}.weight"]
        return F.conv3d(x, kernel, self.weights[f"{name}.bias"], stride=kernel.shape[2:]).flatten(2).transpose(1, 2)

    def attend(self, name, x, context, angles=None):
        """[batch, tokens, width], with a single head."""
        q, k = self.rms(f"{name}.norm_q", self.linear(f"{name}.q", x)), self.rms(f"{name}.norm_k", self.linear(f"{name}.k", context))
        if angles is not None:
            q, k = turned(q, angles), turned(k, angles)
        mixed = F.scaled_dot_product_attention(q[:, None], k[:, None], self.linear(f"{name}.v", context)[:, None])
        return self.linear(f"{name}.o", mixed[:, 0])


def turned(x, angles):
    """Pairs of neighboring columns as complex numbers."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def angles_of(places):
    """[tokens, 3] to [tokens, 64]."""
    parts = [torch.outer(places[:, axis], 10_000.0 ** (-torch.arange(0, side, 2) / side)) for axis, side in enumerate((44, 42, 42))]
    return torch.cat(parts, dim=1)


def grid(times, rows, columns):
    return torch.stack(torch.meshgrid(times.float(), rows.float(), columns.float(), indexing="ij"), dim=-1).reshape(-1, 3)


def norm(x, epsilon=1e-6):
    return F.layer_norm(x, x.shape[-1:], eps=epsilon)


def time_of(net, times):
    """The embedding of each time."""
    half = TIMES // 2
    waves = times[:, None] * 10_000.0 ** (-torch.arange(half) / half)
    return net.linear("time_embedding.2", F.silu(net.linear("time_embedding.0", torch.cat([waves.cos(), waves.sin()], dim=1))))


def block(net, name, x, time, text, angles, hear=lambda x: x):
    """`time` is [tokens or 1, width]."""
    parts = net.linear("time_projection.1", F.silu(time)).unflatten(-1, (6, WIDTH)) + net.weights[f"{name}.modulation"]
    shift, scale, gate, last_shift, last_scale, last_gate = parts.unbind(1)
    normed = norm(x) * (1 + scale) + shift
    x = x + net.attend(f"{name}.self_attn", normed, normed, angles) * gate
    weights = [net.weights[f"{name}.norm3.{part}"] for part in ("weight", "bias")]
    x = hear(x + net.attend(f"{name}.cross_attn", F.layer_norm(x, (WIDTH,), *weights, 1e-6), text))
    inner = F.gelu(net.linear(f"{name}.ffn.0", norm(x) * (1 + last_scale) + last_shift), approximate="tanh")
    return x + net.linear(f"{name}.ffn.2", inner) * last_gate


def result(net, x, time, sides):
    shift, scale = (net.weights["head.modulation"] + time[:, None]).unbind(1)
    cells = net.linear("head.head", norm(x) * (1 + scale) + shift)
    frames, rows, columns = sides
    cells = cells.reshape(-1, frames, rows, columns, 2, 2, CHANNELS)
    return cells.permute(0, 6, 1, 2, 4, 3, 5).reshape(-1, CHANNELS, frames, 2 * rows, 2 * columns)


def text_of(net, text):
    return net.linear("text_embedding.2", F.gelu(net.linear("text_embedding.0", text), approximate="tanh"))


def humo():
    features, audio_width, tokens = 30, 10, 4
    shapes = network(2)
    for index in range(2):
        name = f"blocks.{index}.audio_cross_attn_wrapper"
        shapes |= attention(f"{name}.audio_cross_attn", audio_width) | layer(f"{name}.norm1_audio", WIDTH)
    shapes |= layer("audio_proj.audio_proj_glob_1.layer", 12, features) | layer("audio_proj.audio_proj_glob_2.layer", 12, 12)
    shapes |= layer("audio_proj.audio_proj_glob_3.layer", tokens * audio_width, 12)
    shapes |= layer("audio_proj.audio_proj_glob_norm.layer", audio_width)
    inputs = {"x": [1, 4, 3, 4, 6], "text": [1, 5, TEXT], "subject": [1, 4, 1, 4, 6], "audio": [1, 3, 5, 6]}
    weights = weights_for({**shapes, **inputs})
    weights["subject"] *= STRONGER
    net = Network(weights)

    def run(subject, audio):
        x = weights["x"] if subject is None else torch.cat([weights["x"], subject], dim=2)
        frames, rows, columns = x.shape[2], 2, 3
        stream = net.patches("patch_embedding", x)
        angles = angles_of(grid(torch.arange(frames), torch.arange(rows), torch.arange(columns)))
        time, text = time_of(net, torch.tensor([700.0])), text_of(net, weights["text"])
        heard = None
        if audio is not None:
            silent = torch.zeros(1, frames - audio.shape[1], *audio.shape[2:])
            each = torch.cat([audio, silent], dim=1).flatten(2)[0]
            first = F.relu(net.linear("audio_proj.audio_proj_glob_1.layer", each))
            second = F.relu(net.linear("audio_proj.audio_proj_glob_2.layer", first))
            split = net.linear("audio_proj.audio_proj_glob_3.layer", second).unflatten(-1, (tokens, audio_width))
            own = [weights[f"audio_proj.audio_proj_glob_norm.layer.{part}"] for part in ("weight", "bias")]
            heard = F.layer_norm(split, (audio_width,), *own)

        def hear(name, stream):
            if heard is None:
                return stream
            own = [weights[f"{name}.norm1_audio.{part}"] for part in ("weight", "bias")]
            query = F.layer_norm(stream, (WIDTH,), *own, 1e-6).unflatten(1, (frames, -1))[0]
            change = net.attend(f"{name}.audio_cross_attn", query, heard)
            return stream + change.flatten(0, 1)[None]

        for index in range(2):
            name = f"blocks.{index}"
            stream = block(net, name, stream, time, text, angles, lambda x: hear(f"{name}.audio_cross_attn_wrapper", x))
        return result(net, stream[:, : 3 * rows * columns], time, (3, rows, columns))

    audio, subject = weights["audio"], weights["subject"]
    return shapes, inputs, {"plain": run(None, None), "heard": run(None, audio), "subject": run(subject, audio)}


def s2v():
    layers, audio_width, heads = 3, 7, 4
    shapes = network(5) | {"trainable_cond_mask.weight": [3, WIDTH]} | layer("cond_encoder", WIDTH, CHANNELS, 1, 2, 2)
    encoder = "casual_audio_encoder.encoder"
    shapes |= {"casual_audio_encoder.weights": [1, layers, 1, 1], f"{encoder}.padding_tokens": [1, 1, 1, WIDTH]}
    shapes |= layer(f"{encoder}.conv1_local.conv", heads * WIDTH // 4, audio_width, 3)
    shapes |= layer(f"{encoder}.conv1_global.conv", WIDTH // 4, audio_width, 3)
    shapes |= layer(f"{encoder}.conv2.conv", WIDTH // 2, WIDTH // 4, 3) | layer(f"{encoder}.conv3.conv", WIDTH, WIDTH // 2, 3)
    shapes |= layer(f"{encoder}.final_linear", WIDTH, WIDTH)
    for index in range(2):
        shapes |= attention(f"audio_injector.injector.{index}")
        shapes |= layer(f"audio_injector.injector_adain_layers.{index}.linear", 2 * WIDTH, WIDTH)
    for name, kernel in (("proj", (1, 2, 2)), ("proj_2x", (2, 4, 4)), ("proj_4x", (4, 8, 8))):
        shapes |= layer(f"frame_packer.{name}", WIDTH, CHANNELS, *kernel)
    inputs = {
        "x": [1, 4, 2, 8, 10], "text": [1, 5, TEXT], "reference": [1, 4, 1, 8, 10], "motion": [1, 4, 17, 8, 10],
        "control": [1, 4, 2, 8, 10], "audio": [1, layers, audio_width, 8],
    }
    weights = weights_for({**shapes, **inputs})
    for name in ("reference", "motion", "control"):
        weights[name] *= STRONGER
    net = Network(weights)
    frames, rows, columns = 2, 4, 5

    def steps(x, first):
        """[batch, width, steps] to [batch, steps / 4, width]."""
        for name, stride in ((first, 1), ("conv2", 2), ("conv3", 2)):
            conv = [weights[f"{encoder}.{name}.conv.{part}"] for part in ("weight", "bias")]
            x = F.conv1d(F.pad(x, (2, 0), mode="replicate"), *conv, stride=stride)
            if name == "conv1_local":
                x = x.reshape(heads, WIDTH // 4, -1)
            x = F.silu(norm(x.transpose(1, 2))).transpose(1, 2)
        return x.transpose(1, 2)

    def run(given=()):
        use = {name: weights[name] if name in given else None for name in inputs}
        stream = net.patches("patch_embedding", weights["x"])
        if use["control"] is not None:
            stream = stream + net.patches("cond_encoder", use["control"])
        marks = weights["trainable_cond_mask.weight"]
        stream = stream + marks[0]
        places = [grid(torch.arange(frames), torch.arange(rows), torch.arange(columns))]
        times = [700.0] * frames
        if use["reference"] is not None:
            stream = torch.cat([stream, net.patches("patch_embedding", use["reference"]) + marks[1]], dim=1)
            places.append(grid(torch.tensor([30]), torch.arange(rows), torch.arange(columns)))
            times.append(0.0)
        if use["motion"] is not None:
            motion = torch.cat([torch.zeros(1, 4, 2, 8, 10), use["motion"]], dim=2)
            far, near, last = motion.split([16, 2, 1], dim=2)
            for name, part in (("proj", last), ("proj_2x", near), ("proj_4x", far)):
                stream = torch.cat([stream, net.patches(f"frame_packer.{name}", part) + marks[2]], dim=1)
            down, across = torch.linspace(0, rows - 1, 2), torch.linspace(0, columns - 1, 2)
            places.append(grid(torch.tensor([-1]), torch.arange(rows), torch.arange(columns)))
            places.append(grid(torch.tensor([-3]), down, across))
            places.append(grid(torch.arange(-19, -15), torch.linspace(0, rows - 1, 1), torch.linspace(0, columns - 1, 1)))
            times = [time for time in times for _ in range(2)] + [0.0] * 3
        count = stream.shape[1]
        each = -(-count // len(times))
        token_times = torch.tensor([times[at // each] for at in range(count)])
        time, text, angles = time_of(net, token_times), text_of(net, weights["text"]), angles_of(torch.cat(places))
        if use["audio"] is not None:
            shares = F.silu(weights["casual_audio_encoder.weights"])
            features = ((use["audio"] * shares) / shares.sum(1, keepdim=True)).sum(1)
            whole = net.linear(f"{encoder}.final_linear", steps(features, "conv1_global"))[0]
            padding = weights[f"{encoder}.padding_tokens"][0].expand(frames, 1, WIDTH)
            heard = torch.cat([steps(features, "conv1_local").transpose(0, 1), padding], dim=1)
        for index in range(5):
            stream = block(net, f"blocks.{index}", stream, time, text, angles)
            if use["audio"] is None or index not in (0, 4):
                continue
            number, size = index // 4, frames * rows * columns
            parts = net.linear(f"audio_injector.injector_adain_layers.{number}.linear", F.silu(whole))[:, None]
            shift, scale = parts.chunk(2, dim=-1)
            video = stream[0, :size].unflatten(0, (frames, -1))
            change = net.attend(f"audio_injector.injector.{number}", norm(video, 1e-5) * (1 + scale) + shift, heard)
            stream = torch.cat([stream[:, :size] + change.flatten(0, 1), stream[:, size:]], dim=1)
        size = frames * rows * columns
        return result(net, stream[:, :size], time[:size], (frames, rows, columns))

    every = ("control", "reference", "motion", "audio")
    return shapes, inputs, {"plain": run(), "heard": run(("audio",)), "subject": run(("reference",)), "every": run(every)}


def animate_names(key):
    for pattern, name in (
        (r"^motion_encoder\.conv_in\.weight", "motion_encoder.enc.net_app.convs.0.0.weight"),
        (r"^motion_encoder\.conv_in\.act_fn\.bias", "motion_encoder.enc.net_app.convs.0.1.bias"),
        (r"^motion_encoder\.conv_out\.", "motion_encoder.enc.net_app.convs.3."),
        (r"^motion_encoder\.motion_network\.", "motion_encoder.enc.fc."),
        (r"^motion_encoder\.motion_synthesis_weight", "motion_encoder.dec.direction.weight"),
        (r"^face_encoder\.(conv\w+)\.", r"face_encoder.\1.conv."),
    ):
        if re.search(pattern, key):
            return re.sub(pattern, name, key)
    if found := re.match(r"motion_encoder\.res_blocks\.(\d)\.(conv1|conv2|conv_skip)\.(weight|act_fn\.bias)", key):
        first = 0 if found[2] == "conv1" else 1
        place = f"{first}.weight" if found[3] == "weight" else f"{first + 1}.bias"
        return f"motion_encoder.enc.net_app.convs.{int(found[1]) + 1}.{found[2].replace('conv_skip', 'skip')}.{place}"
    if found := re.match(r"face_adapter\.(\d)\.(.*)", key):
        name = f"face_adapter.fuser_blocks.{found[1]}."
        for part, (old, new) in enumerate((("to_k.", "linear1_kv."), ("to_v.", "linear1_kv."))):
            if found[2].startswith(old):
                return name + found[2].replace(old, new), part, 2
        for old, new in (("to_q.", "linear1_q."), ("to_out.", "linear2."), ("norm_q.", "q_norm."), ("norm_k.", "k_norm.")):
            if found[2].startswith(old):
                return name + found[2].replace(old, new)
    return key if key.startswith("face_encoder.") else wan_names(key)


def animate():
    from diffusers import WanAnimateTransformer3DModel

    module = WanAnimateTransformer3DModel(
        num_attention_heads=1, attention_head_dim=128, in_channels=12, latent_channels=4, out_channels=4, text_dim=6,
        freq_dim=16, ffn_dim=20, num_layers=5, image_dim=None, motion_encoder_channel_sizes={"16": 4, "8": 6, "4": 8},
        motion_encoder_size=16, motion_style_dim=10, motion_dim=3, motion_encoder_dim=10, face_encoder_hidden_dim=16,
        face_encoder_num_heads=2,
    )
    shapes, load = published(module, animate_names)
    # Files have the biases of images in four sides.
    flat = [name for name, shape in shapes.items() if ".net_app." in name and len(shape) == 1]
    for name in flat:
        shapes[name] = [1, *shapes[name], 1, 1]
    inputs = {
        "x": [1, 4, 3, 4, 6], "text": [1, 5, 6], "concat": [1, 8, 3, 4, 6], "pose": [1, 4, 2, 4, 6],
        "faces": [1, 3, 5, 16, 16],
    }
    weights = weights_for({**shapes, **inputs})
    # Smaller weights lose the face on the way.
    for name in shapes:
        if weights[name].ndim > 1 and name not in flat and name.startswith(("motion_encoder.enc", "face_")):
            weights[name] *= 12 if name.startswith("motion_encoder.enc") else 3
    load({name: value.flatten() if name in flat else value for name, value in weights.items()})
    x = torch.cat([weights["x"], weights["concat"]], dim=1)
    answer = module(
        x, torch.tensor([700.0]), weights["text"], pose_hidden_states=weights["pose"], face_pixel_values=weights["faces"],
        return_dict=False,
    )[0]
    return shapes, inputs, {"animated": answer}


FAMILIES = {"wan_humo": humo, "wan_s2v": s2v, "wan_animate": animate}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
