"""Computes answers of small networks of Wan that follow videos, images and cameras, as weight_files.py does.

    python wan_files.py [NAME ...]

Writes weight_files/NAME.json.
"""

import sys

import torch
from weight_files import main, published, wan_names, weights_for

SMALL = dict(
    num_attention_heads=1, attention_head_dim=128, in_channels=4, out_channels=4, text_dim=6, freq_dim=16, ffn_dim=20,
    num_layers=2,
)
TIMES = torch.tensor([700.0])


def vace():
    from diffusers import WanVACETransformer3DModel

    module = WanVACETransformer3DModel(**{**SMALL, "num_layers": 4}, vace_layers=[0, 2], vace_in_channels=72)

    def names(key):
        if key.startswith("vace_blocks"):
            key = key.replace(".proj_in.", ".before_proj.").replace(".proj_out.", ".after_proj.")
        return wan_names(key)

    shapes, load = published(module, names)
    inputs = {"x": [1, 4, 3, 4, 6], "text": [1, 5, 6], "frames": [1, 8, 3, 4, 6], "mask": [1, 64, 3, 4, 6]}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(frames, mask, strength):
        control = torch.cat([frames, mask], dim=1)
        scale = torch.tensor([strength, strength])
        return module(
            weights["x"], TIMES, weights["text"], control_hidden_states=control, control_hidden_states_scale=scale,
            return_dict=False,
        )[0]

    frames, mask = weights["frames"], weights["mask"]
    nothing = answer(torch.zeros_like(frames), torch.ones_like(mask), 1.0)
    return shapes, inputs, {"plain": nothing, "followed": answer(frames, mask, 0.7)}


class Camera(torch.nn.Module):
    """A residual network over the unshuffled pixels of the rays of a camera."""

    def __init__(self, channels, width):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels * 64, width, 2, 2)
        block = torch.nn.Module()
        block.conv1 = torch.nn.Conv2d(width, width, 3, padding=1)
        block.conv2 = torch.nn.Conv2d(width, width, 3, padding=1)
        self.residual_blocks = torch.nn.ModuleList([block])

    def forward(self, rays):
        frames = torch.nn.functional.pixel_unshuffle(rays[0].transpose(0, 1), 8)
        x = self.conv(frames)
        for block in self.residual_blocks:
            x = x + block.conv2(block.conv1(x).relu())
        return x.transpose(0, 1)[None]


def with_parts(parts, inputs, answers):
    """A network of texts with further modules under published names."""
    from diffusers import WanTransformer3DModel

    module = WanTransformer3DModel(**SMALL)
    for name, part in parts.items():
        setattr(module, name, part)
    shapes, load = published(module, lambda key: key if key.split(".")[0] in parts else wan_names(key))
    inputs = {"x": [1, 4, 3, 4, 6], "text": [1, 5, 6], **inputs}
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def run(x, hook=None):
        handle = module.patch_embedding.register_forward_hook(hook) if hook else None
        result = module(x, TIMES, weights["text"], return_dict=False)[0]
        if handle:
            handle.remove()
        return result

    return shapes, inputs, answers(module, weights, run)


def camera():
    def answers(module, weights, run):
        seen = run(weights["x"], lambda _, __, tokens: tokens + module.control_adapter(weights["rays"]))
        return {"plain": run(weights["x"]), "followed": seen}

    return with_parts({"control_adapter": Camera(2, 128)}, {"rays": [1, 2, 3, 32, 48]}, answers)


def reference():
    def answers(module, weights, run):
        def first(_, __, tokens):
            tokens = tokens.clone()
            tokens[:, :, 0] = module.ref_conv(weights["image"][:, :, 0])
            return tokens

        x = weights["x"]
        longer = torch.cat([x[:, :, :1], x], dim=2)
        # Images after the video are frames that no answer has.
        after = run(torch.cat([x, weights["image"]], dim=2))[:, :, :3]
        return {"plain": run(x), "seen": run(longer, first)[:, :, 1:], "after": after}

    return with_parts({"ref_conv": torch.nn.Conv2d(4, 128, 2, 2)}, {"image": [1, 4, 1, 4, 6]}, answers)


FAMILIES = {"wan_vace": vace, "wan_camera": camera, "wan_reference": reference}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
