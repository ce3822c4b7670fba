"""What torch computes where the inside of a network is changed: writes inside.json. Of the graphs that export.py made.

    python inside.py
"""

import json

import torch
from diffusers.models.attention_processor import PAGIdentitySelfAttnProcessor2_0

from from_onnx import HERE, expected, numbers_of, rounded, unet

answers = {}
answer = expected("unet")
x, timestep, text = numbers_of(answer["x"]), torch.tensor([answer["timestep"]]), numbers_of(answer["text"])


def run(network):
    with torch.no_grad():
        return rounded(network(x, timestep, text).sample)


def perturbed():
    class Identity(PAGIdentitySelfAttnProcessor2_0):
        """Its own takes a batch of which the second half is perturbed; here all of it is."""

        def __call__(self, attn, hidden_states, **rest):
            return super().__call__(attn, torch.cat([hidden_states, hidden_states]), **rest).chunk(2)[1]

    network = unet()
    for name, part in network.mid_block.named_modules():
        if name.endswith("attn1"):
            part.set_processor(Identity())
    return run(network)


def multiplied():
    """Matrices of one kind of attention times 1.5 (q), 0.5 (k), 2 (v) and 0.8 (out), biases too."""
    made = {}
    for kind in ("attn1", "attn2"):
        network = unet()
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                for part, factor in {"to_q": 1.5, "to_k": 0.5, "to_v": 2.0, "to_out.0": 0.8}.items():
                    if f".{kind}.{part}." in name:
                        parameter.mul_(factor)
        made[kind] = run(network)
    return made


answers["perturbed"] = perturbed()
answers["multiplied"] = multiplied()
(HERE / "inside.json").write_text(json.dumps(answers, indent=1) + "\n")
