"""Generates images from a checkpoint with torch: the reference for the ONNX files."""

import argparse
from pathlib import Path

import numpy as np
import torch

import latents as latent_cache
import model as models
from autoencoder import Decoder
from settings import LATENT_CHANNELS, LATENT_SIDE, WORK
from tokenizer import Tokenizer

STEPS, GUIDANCE = 20, 2.5
SHOWN = [
    "a fox on a blue background", "red apple, flat style", "rocket, noto style", "pizza, flat style",
    "a cat face on a yellow background", "teddy bear, noto style, green background", "dolphin", "sunflower, flat style",
    "hot dog, noto style", "bread, flat style", "airplane on a pink background", "snowman, flat style, black background",
    "tiger face, noto style", "strawberry, noto style, yellow background", "bus, flat style", "a ghost on purple",
]  # fmt: skip


class Painter:
    def __init__(self, checkpoint=models.CHECKPOINT):
        self.tokenizer = Tokenizer()
        self.model, self.checkpoint = models.trained(self.tokenizer, checkpoint)
        state = latent_cache.autoencoder_state()
        self.mean, self.scale = state["mean"][:, None, None], state["scale"]
        self.decoder = Decoder().eval()
        self.decoder.load_state_dict(state["decoder"])

    @torch.no_grad()
    def decode(self, latents: torch.Tensor) -> np.ndarray:
        """Decodes normalised latents to (B, 128, 128, 3) uint8."""
        pixels = self.decoder(latents / self.scale + self.mean).clamp(-1, 1)
        return ((pixels + 1) * 127.5).round().byte().permute(0, 2, 3, 1).numpy()

    @torch.no_grad()
    def paint(self, prompts: list[str], seeds: list[int], steps: int = STEPS, guidance: float = GUIDANCE) -> np.ndarray:
        shape = (LATENT_CHANNELS, LATENT_SIDE, LATENT_SIDE)
        z = torch.stack([torch.randn(shape, generator=torch.Generator().manual_seed(seed)) for seed in seeds])
        asked = self.model.text(torch.tensor([self.tokenizer.encode(prompt) for prompt in prompts]))
        nothing = self.model.text(torch.tensor([self.tokenizer.encode("")])).expand(len(prompts), -1, -1)
        levels = torch.linspace(1, 0, steps + 1)
        for now, then in zip(levels[:-1], levels[1:]):
            t = now.expand(len(prompts))
            velocity = self.model.flow(z, t, asked)
            if guidance != 1:
                free = self.model.flow(z, t, nothing)
                velocity = free + guidance * (velocity - free)
            z = z + (then - now) * velocity
        return self.decode(z)


def sheet(images: np.ndarray, columns: int = 8):
    from PIL import Image

    images = np.concatenate([images, np.zeros((-len(images) % columns, *images.shape[1:]), np.uint8)])
    rows = [np.concatenate(list(row), 1) for row in images.reshape(-1, columns, *images.shape[1:])]
    return Image.fromarray(np.concatenate(rows, 0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompts", nargs="*", default=SHOWN)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--guidance", type=float, default=GUIDANCE)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=WORK / "samples.png")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    painter = Painter()
    seeds = [options.seed + place for place in range(len(options.prompts))]
    sheet(painter.paint(options.prompts, seeds, options.steps, options.guidance)).save(options.out)
    print(f"{options.out}: step {painter.checkpoint['step']}")
