"""Writes expected.json: what small upscale networks make of an image, computed with torch.

Needs torch and spandrel (MIT), which has these networks and recognizes them by their weights:
python test/upscalers/record.py && npx biome check --write test/upscalers
"""

import json
import math
import re
from pathlib import Path

import numpy
import torch
from spandrel import ModelLoader
from spandrel.architectures.Compact import Compact
from spandrel.architectures.DAT import DAT
from spandrel.architectures.DITN.__arch.DITN_Real import DITN_Real as DITN
from spandrel.architectures.DRCT import DRCT
from spandrel.architectures.ESRGAN import ESRGAN
from spandrel.architectures.HAT import HAT
from spandrel.architectures.MoSR import MoSR
from spandrel.architectures.OmniSR import OmniSR
from spandrel.architectures.PLKSR import PLKSR, RealPLKSR
from spandrel.architectures.RealCUGAN.__arch.upcunet_v3 import UpCunet2x, UpCunet2x_fast, UpCunet3x, UpCunet4x
from spandrel.architectures.SAFMN import SAFMN
from spandrel.architectures.SPAN import SPAN
from spandrel.architectures.Swin2SR import Swin2SR
from spandrel.architectures.SwinIR import SwinIR

BUFFERS = (
    "relative_position_index",
    "relative_position_index_SA",
    "relative_position_index_OCA",
    "relative_coords_table",
    "attn_mask",
    "attn_mask_0",
    "attn_mask_1",
    "rpe_biases",
    "num_batches_tracked",
)
DIGITS = 6


def weight(name, shape):
    """test/upscalers/expected-networks.ts makes the same numbers."""
    size = math.prod(shape)
    phase = sum((at + 1) * ord(letter) for at, letter in enumerate(name)) % 1000
    waves = numpy.sin((numpy.arange(size) + 1) * 12.9898 + phase)
    if len(shape) < 2:
        numbers = 0.5 + 0.5 * waves
    else:
        numbers = waves * 2 / math.sqrt(math.prod(shape[1:]))
    return torch.from_numpy(numbers.astype("float32").reshape(shape))


def esrgan(**options):
    defaults = {"in_nc": 3, "out_nc": 3, "num_filters": 8, "num_blocks": 1, "scale": 4}
    return ESRGAN(**{**defaults, **options}).state_dict()


def with_names(state, layers, block):
    """An ESRGAN in the layout of another trainer."""

    def rename(name):
        name = re.sub(r"model\.1\.sub\.(\d+)\.RDB(\d)\.conv(\d)\.0", block, name)
        name = re.sub(r"model\.1\.sub\.\d+\.(?=weight|bias)", layers["body"] + ".", name)
        for number, layer in layers.items():
            name = name.replace(f"model.{number}.", f"{layer}.")
        return name

    return {rename(name): tensor for name, tensor in state.items()}


def real_esrgan(channels, blocks=2, prefix=""):
    """Real-ESRGAN always enlarges four times; smaller scales take squares of pixels."""
    layers = {0: "conv_first", "body": "conv_body", 3: "conv_up1", 6: "conv_up2", 8: "conv_hr", 10: "conv_last"}
    state = with_names(esrgan(in_nc=channels, num_blocks=blocks), layers, r"body.\1.rdb\2.conv\3")
    return {prefix + name: tensor for name, tensor in state.items()}


def bsrgan():
    layers = {0: "conv_first", "body": "trunk_conv", 3: "upconv1", 5: "HRconv", 7: "conv_last"}
    return with_names(esrgan(scale=2), layers, r"RRDB_trunk.\1.RDB\2.conv\3")


def compact(scale):
    return Compact(num_feat=8, num_conv=2, upscale=scale).state_dict()


def swin_ir(**options):
    defaults = {
        "img_size": 16,
        "embed_dim": 12,
        "depths": [2, 2],
        "num_heads": [2, 3],
        "window_size": 8,
        "mlp_ratio": 2,
        "upscale": 2,
        "upsampler": "",
        "resi_connection": "1conv",
    }
    return SwinIR(**{**defaults, **options}).state_dict()


def hat(**options):
    defaults = {
        "embed_dim": 12,
        "depths": [2, 2],
        "num_heads": [2, 3],
        "window_size": 4,
        "mlp_ratio": 2,
        "squeeze_factor": 4,
        "overlap_ratio": 0.5,
        "upsampler": "pixelshuffle",
    }
    return HAT(**{**defaults, **options}).state_dict()


def drct(**options):
    defaults = {"embed_dim": 12, "depths": [2, 2], "num_heads": [2, 2], "window_size": 4, "gc": 4, "upsampler": "pixelshuffle"}
    return DRCT(**{**defaults, **options}).state_dict()


def dat(**options):
    defaults = {"embed_dim": 32, "depth": [3, 3], "num_heads": [2, 4], "split_size": [2, 4], "expansion_factor": 2}
    return DAT(**{**defaults, **options}).state_dict()


def swin2sr(**options):
    defaults = {"img_size": 16, "embed_dim": 12, "depths": [2, 2], "num_heads": [2, 3], "window_size": 4, "mlp_ratio": 2}
    return Swin2SR(**{**defaults, **options}).state_dict()


def ditn():
    options = {"dim": 8, "ITL_blocks": 1, "SAL_blocks": 1, "patch_size": 8, "upscale": 2}
    return DITN(**options).state_dict()


def mosr(upsampler):
    return MoSR(upscale=2, n_block=2, dim=8, upsampler=upsampler, conv_ratio=0.5).state_dict()


def omni_sr(**options):
    return OmniSR(num_feat=16, block_num=1, res_num=2, window_size=4, **options).state_dict()


def span(**options):
    state = SPAN(num_in_ch=3, num_out_ch=3, feature_channels=8, **options).state_dict()
    return {f"params.{name}": tensor for name, tensor in state.items()}


def plksr(kind, **options):
    return kind(dim=8, n_blocks=2, kernel_size=5, split_ratio=0.5, **options).state_dict()


NETWORKS = {
    "ESRGAN x4": (esrgan(num_blocks=2), (3, 4)),
    "ESRGAN x2": (esrgan(scale=2), (3, 4)),
    "ESRGAN x1": (esrgan(scale=1), (3, 4)),
    "ESRGAN x8": (esrgan(scale=8), (2, 3)),
    "ESRGAN+ x4": (esrgan(plus=True), (3, 4)),
    "BSRGAN x2": (bsrgan(), (3, 4)),
    "Real-ESRGAN x4": (real_esrgan(3), (3, 4)),
    "Real-ESRGAN x2": (real_esrgan(12, 1, "params_ema."), (5, 6)),
    "Real-ESRGAN x1": (real_esrgan(48, 1, "module."), (6, 9)),
    "compact x4": (compact(4), (3, 4)),
    "compact x2": (compact(2), (3, 4)),
    "compact x1": (compact(1), (3, 4)),
    "SwinIR classical x2": (swin_ir(upsampler="pixelshuffle"), (11, 16)),
    "SwinIR classical x3": (swin_ir(upsampler="pixelshuffle", upscale=3), (9, 10)),
    "SwinIR classical x4": (swin_ir(upsampler="pixelshuffle", upscale=4), (8, 9)),
    "SwinIR light x2": (swin_ir(upsampler="pixelshuffledirect"), (16, 16)),
    "SwinIR real x4": (swin_ir(upsampler="nearest+conv", upscale=4, resi_connection="3conv"), (8, 17)),
    "SwinIR real x2": (swin_ir(upsampler="nearest+conv"), (16, 9)),
    "SwinIR denoising": (swin_ir(upscale=1), (20, 11)),
    "HAT x4": (hat(upscale=4), (8, 12)),
    "HAT x2": (hat(upscale=2, depths=[3], num_heads=[2]), (12, 8)),
    "DRCT x4": (drct(upscale=4), (8, 12)),
    "DAT x2": (dat(upscale=2), (9, 12)),
    "DAT x4": (dat(upscale=4, resi_connection="3conv", split_size=[4, 4]), (16, 16)),
    "DAT light x3": (dat(upscale=3, upsampler="pixelshuffledirect"), (8, 10)),
    "Swin2SR classical x2": (swin2sr(upscale=2, upsampler="pixelshuffle"), (8, 12)),
    "Swin2SR light x4": (swin2sr(upscale=4, upsampler="pixelshuffledirect"), (7, 12)),
    "Swin2SR real x4": (swin2sr(upscale=4, upsampler="nearest+conv"), (8, 8)),
    "Swin2SR compressed x4": (swin2sr(upscale=4, upsampler="pixelshuffle_aux"), (8, 12)),
    "Real-CUGAN x2": (UpCunet2x().state_dict(), (40, 41)),
    "Real-CUGAN pro x3": (UpCunet3x(pro=True).state_dict(), (42, 41)),
    "Real-CUGAN x4": (UpCunet4x().state_dict(), (40, 41)),
    "Real-CUGAN fast x2": (UpCunet2x_fast().state_dict(), (40, 44)),
    "SAFMN x4": (SAFMN(dim=8, n_blocks=2).state_dict(), (8, 16)),
    "MoSR x2": (mosr("ps"), (5, 6)),
    "MoSR averaged x2": (mosr("gps"), (5, 6)),
    "DITN x2": (ditn(), (8, 15)),
    "OmniSR x2": (omni_sr(up_scale=2), (16, 19)),
    "SPAN x2": (span(upscale=2), (5, 6)),
    "SPAN x4 plain": (span(upscale=4, norm=False), (4, 5)),
    "PLKSR x2": (plksr(PLKSR, upscaling_factor=2), (5, 6)),
    "RealPLKSR x4": (plksr(RealPLKSR, upscaling_factor=4), (4, 5)),
    "SwinIR JPEG": (swin_ir(upscale=1, window_size=7, img_size=14), (10, 15)),
}


def record(layout, sides):
    tensors = {
        name: tensor if name.endswith(BUFFERS) else weight(name, tuple(tensor.shape))
        for name, tensor in layout.items()
    }
    prefixes = (each for each in ("params_ema.", "params.") if all(name.startswith(each) for name in tensors))
    prefix = next(prefixes, "")
    model = ModelLoader().load_from_state_dict({name[len(prefix) :]: value for name, value in tensors.items()})
    image = (weight("image", (1, 3, *sides)) * math.sqrt(3 * sides[0] * sides[1]) / 2 + 1) / 2
    with torch.no_grad():
        larger = model.model.eval()(image)
    return {
        "tensors": {name: list(tensor.shape) for name, tensor in tensors.items()},
        "scale": model.scale,
        "image": list(image.shape),
        "larger": {
            "shape": list(larger.shape),
            "std": round(float(larger.std()), DIGITS),
            # Every eleventh number.
            "data": [round(float(number), DIGITS) for number in larger.flatten()[::11]],
        },
    }


torch.manual_seed(0)
recorded = {name: record(*network) for name, network in NETWORKS.items()}
Path(__file__).with_name("expected.json").write_text(json.dumps(recorded))
for name, value in recorded.items():
    print(name, value["scale"], value["larger"]["shape"], value["larger"]["std"])
