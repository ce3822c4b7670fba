"""Computes answers of transformers with skipped layers, with torch and the graphs of export.py. Writes skipped_layers.json.

    python skipped_layers.py
"""

import json

import torch
from diffusers import FluxPipeline

from from_onnx import HERE, expected, flux, numbers_of, rounded, sd3


def of_sd3(network, layers):
    answer = expected("sd3")
    x, batch = numbers_of(answer["x"]), answer["x"]["shape"][0]
    text, pooled = numbers_of(answer["text"]).repeat(batch, 1, 1), numbers_of(answer["pooled"]).repeat(batch, 1)
    return network(x, text, pooled, torch.full([batch], float(answer["timestep"])), skip_layers=layers).sample


def of_flux(network):
    answer = expected("flux")
    x = FluxPipeline._pack_latents(numbers_of(answer["x"]), 1, 16, 4, 6)
    positions = FluxPipeline._prepare_latent_image_ids(1, 2, 3, "cpu", torch.float32)
    answer_tokens = network(
        x, numbers_of(answer["text"]), numbers_of(answer["pooled"]), torch.tensor([answer["timestep"]]), positions,
        torch.zeros(5, 3), torch.tensor([3.5]),
    ).sample
    return FluxPipeline._unpack_latents(answer_tokens, 32, 48, 8)


def pass_through(block):
    block.forward = lambda hidden_states, encoder_hidden_states, *rest, **more: (encoder_hidden_states, hidden_states)


def main():
    network = sd3()
    assert (of_sd3(network, None) - numbers_of(expected("sd3")["plain"])).abs().max() < 1e-5
    answers = {f"sd3 {' '.join(map(str, layers))}": of_sd3(network, layers) for layers in ([0], [1], [0, 1])}
    network = flux()
    assert (of_flux(network) - numbers_of(expected("flux")["plain"])).abs().max() < 1e-5
    double, single = network.transformer_blocks[0], network.single_transformer_blocks[0]
    original = double.forward
    pass_through(double)
    answers["flux double"] = of_flux(network)
    pass_through(single)
    answers["flux both"] = of_flux(network)
    double.forward = original
    answers["flux single"] = of_flux(network)
    numbers = {name: rounded(tensor) for name, tensor in answers.items()}
    (HERE / "skipped_layers.json").write_text(json.dumps(numbers) + "\n")


with torch.no_grad():
    main()
