"""Writes random adapters of every kind for the tiny UNet of export.py, and the answers of the UNet with each of them.
LyCORIS' own modules create the adapters. The output is adapters/NAME.safetensors and adapters.json.

    python adapters.py              # needs lycoris_lora (written with 4.1) and the packages of export.py
"""

import json

import torch
from lycoris.functional import loha, lokr
from lycoris.modules.locon import LoConModule
from lycoris.modules.loha import LohaModule
from lycoris.modules.lokr import LokrModule
from safetensors.torch import save_file

from from_onnx import HERE, expected, numbers_of, rounded, unet

torch.manual_seed(7)
answer = expected("unet")
x, timestep, text = numbers_of(answer["x"]), torch.tensor([answer["timestep"]]), numbers_of(answer["text"])
LINEAR = "down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q"
OTHER = "down_blocks.0.attentions.0.transformer_blocks.0.ff.net.2"
KERNEL = "mid_block.resnets.0.conv1"
STRENGTH = 0.7
KINDS = {
    "locon": (LoConModule, dict(use_tucker=True)),
    "loha": (LohaModule, dict()),
    "loha-tucker": (LohaModule, dict(use_tucker=True)),
    "lokr": (LokrModule, dict(factor=2)),
    "lokr-whole": (LokrModule, dict(factor=2, full_matrix=True)),
    "lokr-both": (LokrModule, dict(factor=2, decompose_both=True, use_tucker=True)),
    "dora": (LoConModule, dict(weight_decompose=True, wd_on_out=True)),
    "dora-inputs": (LoConModule, dict(weight_decompose=True, wd_on_out=False)),
    "loha-dora": (LohaModule, dict(weight_decompose=True, wd_on_out=True)),
}


def as_stored(tensor):
    return (tensor * 1e4).round() / 1e4


def run(network):
    with torch.no_grad():
        return rounded(network(x, timestep, text).sample)


def difference(adapter):
    """The change of the weights. LyCORIS 4.1's own get_diff_weight multiplies some kinds by alpha / rank twice."""
    of = adapter.custom_state_dict()
    if isinstance(adapter, LoConModule):
        return adapter.get_diff_weight(1.0)[0]
    if isinstance(adapter, LohaModule):
        pair = [of[name] for name in ("hada_w1_b", "hada_w1_a", "hada_w2_b", "hada_w2_a")]
        return loha.diff_weight(*pair, of.get("hada_t1"), of.get("hada_t2"), gamma=adapter.alpha / adapter.lora_dim)
    names = ("lokr_w1", "lokr_w1_a", "lokr_w1_b", "lokr_w2", "lokr_w2_a", "lokr_w2_b", "lokr_t2")
    return lokr.diff_weight(*[of.get(name) for name in names], gamma=adapter.alpha)  # lokr divides by the rank


def adapted_by(kind, options):
    network, tensors = unet(), {}
    for name in (LINEAR, OTHER, KERNEL):
        module = network.get_submodule(name)
        adapter = kind(f"lora_unet_{name.replace('.', '_')}", module, 1.0, lora_dim=2, alpha=1.5, **options)
        with torch.no_grad():
            for own, parameter in adapter.named_parameters():
                # Training starts with the lengths of the weights.
                noise = torch.randn_like(parameter)
                parameter.copy_(as_stored(parameter * (1 + 0.2 * noise) if "dora" in own else noise * 0.4))
            for key, value in adapter.custom_state_dict().items():
                tensors[f"{adapter.lora_name}.{key}"] = value.detach().clone().contiguous()
            merged = module.weight + difference(adapter).reshape(module.weight.shape)
            if options.get("weight_decompose"):
                merged = adapter.apply_weight_decompose(merged, 1.0)
            module.weight.copy_(module.weight + STRENGTH * (merged - module.weight))
    return network, tensors


def weight_differences():
    network, tensors = unet(), {}
    with torch.no_grad():
        for name, weight, bias in ((OTHER, "diff", "diff_b"), (KERNEL, "diff", "diff_b"), ("conv_norm_out", "w_norm", "b_norm")):
            module = network.get_submodule(name)
            for parameter, key in ((module.weight, weight), (module.bias, bias)):
                difference = as_stored(torch.randn_like(parameter) * 0.1)
                tensors[f"lora_unet_{name.replace('.', '_')}.{key}"] = difference
                parameter.add_(STRENGTH * difference)
    return network, tensors


answers = {"strength": STRENGTH, "answers": {}}
(HERE / "adapters").mkdir(exist_ok=True)
for name in [*KINDS, "differences"]:
    network, tensors = adapted_by(*KINDS[name]) if name in KINDS else weight_differences()
    save_file(tensors, HERE / "adapters" / f"{name}.safetensors")
    answers["answers"][name] = run(network)
(HERE / "adapters.json").write_text(json.dumps(answers, indent=1) + "\n")
