"""Writes tiny hypernetworks in the format of their trainers, and torch's answers with them: hypernetworks/ and hypernetwork.json.

    python hypernetwork.py

Uses the UNet of export.py.
"""

import json

import torch
from torch import nn

from from_onnx import HERE, expected, numbers_of, rounded, unet

STRENGTH = 0.7
# Values per token, of the blocks and of the text.
WIDTHS = (4, 8, 6)
ACTIVATIONS = {
    "linear": nn.Identity, "relu": nn.ReLU, "leakyrelu": nn.LeakyReLU, "elu": nn.ELU, "swish": nn.Hardswish, "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid, "softsign": nn.Softsign, "mish": nn.Mish,
}


class Small(nn.Module):
    """A sequence of layers, with the names that trainers use in current files or in those of the first kind."""

    def __init__(self, width, activation, has_norms, is_last_active, is_old):
        super().__init__()
        parts = []
        for index, (inputs, outputs) in enumerate([(width, 2 * width), (2 * width, width)]):
            parts.append(nn.Linear(inputs, outputs))
            if index == 0 or is_last_active:
                parts.append(ACTIVATIONS[activation]())
            if has_norms:
                parts.append(nn.LayerNorm(outputs))
        for part in parts:
            for parameter in part.parameters():
                nn.init.normal_(parameter, std=0.5)
        self.linear = nn.Sequential(*parts)
        self.is_old = is_old

    def forward(self, x):
        return self.linear(x)

    def saved(self):
        state = self.state_dict()
        if not self.is_old:
            return state
        names = {"linear.0.": "linear1.", "linear.2.": "linear2."}
        return {names[key[:9]] + key[9:]: value for key, value in state.items()}


def with_networks(network, networks, strength):
    for name, part in network.named_modules():
        if not name.endswith((".to_k", ".to_v")):
            continue
        pair = networks.get(part.in_features)
        if pair:
            small = pair[name.endswith("to_v")]
            part.register_forward_pre_hook(lambda _, given, small=small: (given[0] + strength * small(given[0]),))
    return network


def answer(networks):
    numbers = expected("unet")
    network = with_networks(unet(), networks, STRENGTH)
    return rounded(network(numbers_of(numbers["x"]), torch.tensor([numbers["timestep"]]), numbers_of(numbers["text"])).sample)


def build(widths, activation="linear", has_norms=False, is_last_active=False, is_old=False):
    torch.manual_seed(5)
    return {width: [Small(width, activation, has_norms, is_last_active, is_old) for _ in range(2)] for width in widths}


def save(name, networks, **fields):
    table = {width: tuple(one.saved() for one in pair) for width, pair in networks.items()}
    torch.save(table | {"step": 1000, "name": name, "layer_structure": [1, 2, 1]} | fields, HERE / "hypernetworks" / f"{name}.pt")


def main():
    (HERE / "hypernetworks").mkdir(exist_ok=True)
    answers = {"strength": STRENGTH}
    for activation in ACTIVATIONS:
        answers[activation] = answer(build(WIDTHS, activation))
    save("relu", build(WIDTHS, "relu"), activation_func="relu", is_layer_norm=False, use_dropout=False)
    # The format of the first trainer, for text alone, in 16 bits.
    old = build([6], is_old=True)
    for pair in old.values():
        for one in pair:
            one.half().float()
    answers["old"] = answer(old)
    for pair in old.values():
        for one in pair:
            one.half()
    save("old", old)
    normed = build(WIDTHS, "mish", has_norms=True, is_last_active=True)
    answers["normed"] = answer(normed)
    save("normed", normed, activation_func="mish", is_layer_norm=True, activate_output=True, dropout_structure=[0, 0.3, 0])
    save("other", build([3]), activation_func=None)
    (HERE / "hypernetwork.json").write_text(json.dumps(answers) + "\n")


with torch.no_grad():
    main()
