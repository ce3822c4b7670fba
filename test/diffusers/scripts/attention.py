"""Computes UNet answers with changed attention, with torch and the graphs of export.py. Writes attention.json.

    python attention.py
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
        """Perturbs the entire batch, while the class of diffusers perturbs only its second half."""

        def __call__(self, attn, hidden_states, **rest):
            return super().__call__(attn, torch.cat([hidden_states, hidden_states]), **rest).chunk(2)[1]

    network = unet()
    for name, part in network.mid_block.named_modules():
        if name.endswith("attn1"):
            part.set_processor(Identity())
    return run(network)


def multiplied():
    """Multiplies the weights and biases of one kind of attention: q by 1.5, k by 0.5, v by 2, out by 0.8."""
    answers = {}
    for kind in ("attn1", "attn2"):
        network = unet()
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                for part, factor in {"to_q": 1.5, "to_k": 0.5, "to_v": 2.0, "to_out.0": 0.8}.items():
                    if f".{kind}.{part}." in name:
                        parameter.mul_(factor)
        answers[kind] = run(network)
    return answers


answers["perturbed"] = perturbed()
answers["multiplied"] = multiplied()
(HERE / "attention.json").write_text(json.dumps(answers, indent=1) + "\n")
