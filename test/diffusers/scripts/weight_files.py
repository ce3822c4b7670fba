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


FAMILIES = {"wan_vae": wan_vae}


def main(names):
    FOLDER.mkdir(exist_ok=True)
    for name in names or FAMILIES:
        shapes, inputs, answers = FAMILIES[name]()
        numbers = {"weights": shapes, "inputs": inputs, "answers": {key: rounded(each) for key, each in answers.items()}}
        (FOLDER / f"{name}.json").write_text(json.dumps(numbers) + "\n")
        print(name, len(shapes), "tensors", {key: (float(each.std()), list(each.shape)) for key, each in answers.items()})


with torch.no_grad():
    main(sys.argv[1:])
