"""Writes the averaged weights of the checkpoint as ONNX files in the diffusers layout, and checks them against torch.

Weights are stored in 16 bits and converted to 32 before use: the files have half the size, and no device needs 16-bit arithmetic.
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import latents as latent_cache
import model as models
import tokenizer as tokenizers
from autoencoder import Decoder, Encoder
from diffusion import SCHEDULER, NoisePredictor
from settings import LATENT_CHANNELS, LATENT_SIDE, PIXELS, REPOSITORY, TEXT_LENGTH

OPSET = 18
# Stable Diffusion 1.x's factor, which some programs take for granted.
SCALING = 0.18215
FILE_LIMIT, ALL_LIMIT = 25_000_000, 40_000_000
MIN_HALVED_ELEMENTS = 256
# This sigma is so small that no noise is visible.
SKETCH_ALONE_ERROR = 0.002


class LatentsToImage(nn.Module):
    def __init__(self, decoder: Decoder, mean: torch.Tensor, scale: float):
        super().__init__()
        self.decoder, self.factor = decoder, SCALING / scale
        self.register_buffer("mean", mean[:, None, None].clone())

    def forward(self, latent_sample):
        return self.decoder(latent_sample * self.factor + self.mean)


class ImageToLatents(nn.Module):
    """Outputs mean and logarithm of the variance, as Stable Diffusion's encoder does."""

    def __init__(self, encoder: Encoder, mean: torch.Tensor, scale: float):
        super().__init__()
        self.encoder, self.factor = encoder, scale / SCALING
        self.register_buffer("mean", mean[:, None, None].clone())

    def forward(self, sample):
        mean, variance = self.encoder(sample).chunk(2, 1)
        return torch.cat([(mean - self.mean) * self.factor, variance.clamp(-30, 20) + 2 * float(np.log(self.factor))], 1)


def with_small_weights(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Stores large 32-bit weights in 16 bits, each with a Cast node that the runtime folds while loading."""
    kept, casts = [], []
    for weight in graph.graph.initializer:
        if weight.data_type == TensorProto.FLOAT and np.prod(weight.dims) >= MIN_HALVED_ELEMENTS:
            half = numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), weight.name + "_f16")
            casts.append(helper.make_node("Cast", [half.name], [weight.name], to=TensorProto.FLOAT))
            kept.append(half)
        else:
            kept.append(weight)
    nodes = list(graph.graph.node)
    del graph.graph.initializer[:], graph.graph.node[:]
    graph.graph.initializer.extend(kept)
    graph.graph.node.extend(casts + nodes)
    return graph


def with_short_names(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Shortens names within the graph. The exporter's names are paths of Python modules, which outweigh a small model's weights."""
    outside = {value.name for value in [*graph.graph.input, *graph.graph.output]}
    short: dict[str, str] = {"": ""}

    def named(name: str) -> str:
        return name if name in outside else short.setdefault(name, f"v{len(short)}")

    for weight in graph.graph.initializer:
        weight.name = named(weight.name)
    for node in graph.graph.node:
        assert not any(attribute.HasField("g") for attribute in node.attribute), "graphs within the graph have names of their own"
        inputs, outputs = [named(name) for name in node.input], [named(name) for name in node.output]
        del node.input[:], node.output[:]
        node.input.extend(inputs)
        node.output.extend(outputs)
        node.name = node.doc_string = ""
    del graph.graph.value_info[:]
    graph.doc_string, graph.producer_name, graph.producer_version, graph.graph.name = "", "tabd training/emoji", "", graph.graph.output[0].name
    return graph


def write(path: Path, module: nn.Module, inputs: dict[str, torch.Tensor], output: str, free: dict[str, dict[int, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        module.eval(),
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=[output],
        dynamic_axes=free,
        opset_version=OPSET,
        dynamo=False,
        do_constant_folding=True,
    )
    graph = with_short_names(with_small_weights(onnx.load(path)))
    onnx.checker.check_model(graph, full_check=True)
    onnx.save(graph, path)


def rounded(module: nn.Module) -> nn.Module:
    """The weights after rounding to 16 bits, as in the files."""
    for tensor in [*module.parameters(), *module.buffers()]:
        if tensor.numel() >= MIN_HALVED_ELEMENTS and tensor.dtype == torch.float32:
            tensor.data = tensor.data.half().float()
    return module


def compare(path: Path, module: nn.Module, inputs: dict[str, torch.Tensor]) -> float:
    """The largest difference between the file's and torch's output, relative to the largest value."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    output = session.run(None, {name: tensor.numpy() for name, tensor in inputs.items()})[0]
    with torch.no_grad():
        true = module(*inputs.values()).numpy()
    assert output.shape == true.shape, (path, output.shape, true.shape)
    return float(np.abs(output - true).max() / np.abs(true).max())


def configs(folder: Path, network: dict, vocabulary: int, tokens: Path) -> None:
    width = network["width"]
    written = {
        "model_index.json": {
            "_class_name": "StableDiffusionPipeline",
            "text_encoder": ["transformers", "CLIPTextModel"],
            "tokenizer": ["transformers", "CLIPTokenizer"],
            "unet": ["diffusers", "UNet2DConditionModel"],
            "vae_decoder": ["diffusers", "AutoencoderKL"],
            "vae_encoder": ["diffusers", "AutoencoderKL"],
            "scheduler": ["diffusers", SCHEDULER["_class_name"]],
            "safety_checker": [None, None],
            "feature_extractor": [None, None],
            "requires_safety_checker": False,
        },
        "text_encoder/config.json": {
            "architectures": ["CLIPTextModel"],
            "model_type": "clip_text_model",
            "hidden_size": width,
            "num_hidden_layers": network["text_layers"],
            "num_attention_heads": network["heads"],
            "max_position_embeddings": TEXT_LENGTH,
            "vocab_size": vocabulary,
            "bos_token_id": vocabulary - 2,
            "eos_token_id": vocabulary - 1,
            "pad_token_id": vocabulary - 1,
        },
        "unet/config.json": {
            "_class_name": "UNet2DConditionModel",
            "sample_size": LATENT_SIDE,
            "in_channels": LATENT_CHANNELS,
            "out_channels": LATENT_CHANNELS,
            "cross_attention_dim": width,
        },
        "scheduler/scheduler_config.json": SCHEDULER,
    }
    for half in ("vae_decoder", "vae_encoder"):
        written[f"{half}/config.json"] = {
            "_class_name": "AutoencoderKL",
            "latent_channels": LATENT_CHANNELS,
            "sample_size": PIXELS,
            "scaling_factor": SCALING,
            "block_out_channels": [48, 96, 192, 384],
        }
    for name, content in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")
    (folder / "tokenizer").mkdir(exist_ok=True)
    for file in tokens.iterdir():
        shutil.copy(file, folder / "tokenizer" / file.name)


def export(folder: Path, model, encoder, decoder, mean, scale, tokens: Path, network: dict) -> dict[str, float]:
    """Writes all files. Returns each file's relative difference to torch. Fails above 1e-3."""
    tokenizer = tokenizers.Tokenizer(tokens)
    ids = torch.tensor([tokenizer.encode("a fox on a blue background"), tokenizer.encode("")], dtype=torch.int32)
    torch.manual_seed(0)
    text = torch.randn(2, TEXT_LENGTH, network["width"])
    text[:, 8:] = 0
    latents = torch.randn(2, LATENT_CHANNELS, LATENT_SIDE, LATENT_SIDE)
    batch, sides = {0: "batch"}, {0: "batch", 2: "height", 3: "width"}
    pixels = {0: "batch", 2: "pixel_rows", 3: "pixel_columns"}
    parts = {
        "text_encoder": (model.text, {"input_ids": ids}, "last_hidden_state", {"input_ids": batch, "last_hidden_state": batch}),
        "unet": (
            NoisePredictor(model.flow),
            {"sample": latents, "timestep": torch.tensor([500.25]), "encoder_hidden_states": text},
            "out_sample",
            {"sample": sides, "timestep": {0: "steps"}, "encoder_hidden_states": {0: "batch", 1: "length"}, "out_sample": sides},
        ),
        "vae_decoder": (LatentsToImage(decoder, mean, scale), {"latent_sample": latents}, "sample", {"latent_sample": sides, "sample": pixels}),
        "vae_encoder": (
            ImageToLatents(encoder, mean, scale),
            {"sample": torch.rand(2, 3, PIXELS, PIXELS) * 2 - 1},
            "latent_parameters",
            {"sample": pixels, "latent_parameters": sides},
        ),
    }
    found = {}
    for name, (module, inputs, output, free) in parts.items():
        path = folder / name / "model.onnx"
        write(path, rounded(module), inputs, output, free)
        found[name] = compare(path, module, inputs)
        one = {key: (value[:1] if key != "timestep" else value) for key, value in inputs.items()}
        found[name] = max(found[name], compare(path, module, one))
        if name == "unet":
            longer = {"sample": torch.randn(1, LATENT_CHANNELS, 24, 16), "timestep": torch.tensor([999.0]), "encoder_hidden_states": torch.cat([text[:1]] * 2, 1)}
            found["unet, another size"] = compare(path, module, longer)
    configs(folder, network, len(tokenizer.ids), tokens)
    if max(found.values()) > 1e-3:
        raise SystemExit(f"the files differ from torch: {found}")
    return found


def sizes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}


def sketch_alone(model: models.Model, network: dict, tokenizer) -> tuple[models.Model, dict]:
    """The model without its transformer: denoising ends at the sketch."""
    network = {**network, "depth": 0, "sketch_error": SKETCH_ALONE_ERROR}
    alone = models.new(tokenizer, network).eval()
    kept = alone.state_dict()
    alone.load_state_dict({name: value for name, value in model.state_dict().items() if name in kept})
    nn.init.zeros_(alone.flow.unpatch.weight)
    nn.init.zeros_(alone.flow.unpatch.bias)
    return alone, network


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sketch-alone", action="store_true", help="leave out the transformer, while it is not trained")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "models" / "emoji" / "emoji-128")
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = tokenizers.Tokenizer()
    model, checkpoint = models.trained(tokenizer)
    network = checkpoint["network"]
    if options.sketch_alone:
        model, network = sketch_alone(model, network, tokenizer)
    state = latent_cache.autoencoder_state()
    encoder, decoder = Encoder().eval(), Decoder().eval()
    encoder.load_state_dict(state["encoder"])
    decoder.load_state_dict(state["decoder"])
    found = export(options.out, model, encoder, decoder, state["mean"], state["scale"], tokenizers.FOLDER, network)
    total = sizes(options.out)
    print(json.dumps({"step": checkpoint["step"], "difference": found, "bytes": total, "all": sum(total.values())}, indent=1))
    if max(total.values()) > FILE_LIMIT or sum(total.values()) > ALL_LIMIT:
        raise SystemExit("too large")


if __name__ == "__main__":
    main()
