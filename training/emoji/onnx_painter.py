"""Generates images with the exported files, like the default graph of image workflows: euler, "normal" schedule."""

import json
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from diffusion import euler
from tokenizer import Tokenizer


class OnnxPainter:
    def __init__(self, folder: Path, threads: int = 1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.sessions = {
            name: onnxruntime.InferenceSession(str(folder / name / "model.onnx"), options, providers=["CPUExecutionProvider"])
            for name in ("text_encoder", "unet", "vae_decoder", "vae_encoder")
        }
        self.scaling = json.loads((folder / "vae_decoder" / "config.json").read_text())["scaling_factor"]
        self.side = json.loads((folder / "unet" / "config.json").read_text())["sample_size"]
        self.tokenizer = Tokenizer(folder / "tokenizer")

    def _text(self, prompts: list[str]) -> np.ndarray:
        ids = np.array([self.tokenizer.encode(prompt) for prompt in prompts], np.int32)
        return self.sessions["text_encoder"].run(None, {"input_ids": ids})[0]

    def decode(self, latents: np.ndarray) -> np.ndarray:
        pixels = self.sessions["vae_decoder"].run(None, {"latent_sample": (latents / self.scaling).astype(np.float32)})[0]
        return np.clip((pixels + 1) * 127.5, 0, 255).round().astype(np.uint8).transpose(0, 2, 3, 1)

    def encode(self, images: np.ndarray) -> np.ndarray:
        """Encodes (B, 128, 128, 3) in 0..255 to latents of the network."""
        sample = (images / 127.5 - 1).transpose(0, 3, 1, 2).astype(np.float32)
        return self.sessions["vae_encoder"].run(None, {"sample": sample})[0][:, :4] * self.scaling

    def paint(self, prompts: list[str], seeds: list[int], steps: int = 20, guidance: float = 2.5) -> np.ndarray:
        """Uint8 (B, 128, 128, 3)."""
        noise = torch.stack([torch.randn((4, self.side, self.side), generator=torch.Generator().manual_seed(seed)) for seed in seeds])
        asked, nothing = self._text(prompts), np.repeat(self._text([""]), len(prompts), 0)

        def predict(sample, timestep):
            feeds = {"sample": sample.numpy(), "timestep": timestep.float().numpy()}
            epsilon = torch.from_numpy(self.sessions["unet"].run(None, {**feeds, "encoder_hidden_states": asked})[0])
            if guidance == 1:
                return epsilon
            free = torch.from_numpy(self.sessions["unet"].run(None, {**feeds, "encoder_hidden_states": nothing})[0])
            return free + guidance * (epsilon - free)

        return self.decode(euler(predict, noise, steps).numpy())
