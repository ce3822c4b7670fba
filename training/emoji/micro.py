"""A model of the same layout in under 200 kB, for quick tests of runtimes. It draws a handful of emoji as blots.

It is trained here and now (some minutes on one core), on white and three colours. Its answers are for comparing devices, not for looking at.
"""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch

import latents as latent_cache
import images
import tokenizer as tokenizers
from autoencoder import Decoder, Encoder
from export import export, sizes
from network import Model
from settings import BACKGROUNDS, REPOSITORY, WORK
from train_autoencoder import reconstruction_loss

NAMES = ["red apple", "fox", "rocket", "banana", "frog", "blue heart", "pizza", "rose"]
COLOURS = ["white", "black", "blue", "green"]
NETWORK = {"width": 16, "depth": 2, "heads": 2, "text_layers": 1, "queries": 4}
LIMIT = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "models" / "emoji" / "emoji-micro")
    parser.add_argument("--steps", type=int, default=1500)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = random.Random(0)
    drawn, index = images.load()
    places = [place for place, entry in enumerate(index) if entry["name"] in NAMES and entry["style"] == "flat"]
    rows = [(place, colour) for place in places for colour in COLOURS]
    shown = torch.cat([latent_cache.to_pixels(images.on_background(drawn[place][None], BACKGROUNDS[colour])) for place, colour in rows])

    encoder, decoder = Encoder(8, 16, 1), Decoder(8, 16, 1, 1)
    optimizer = torch.optim.AdamW([*encoder.parameters(), *decoder.parameters()], lr=3e-3)
    for _ in range(options.steps // 3):
        true = shown[torch.randperm(len(shown))[:16]]
        z = encoder(true).chunk(2, 1)[0]
        loss = reconstruction_loss(decoder(z + 0.05 * torch.randn_like(z)), true) + 1e-3 * z.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        z = encoder(shown).chunk(2, 1)[0]
    mean = z.mean((0, 2, 3))
    scale = float(1 / (z - mean[:, None, None]).std())
    clean = (z - mean[:, None, None]) * scale

    folder = WORK / "micro-tokenizer"
    tokenizers.write(folder, tokenizers.learn([*NAMES, f"a on background {' '.join(COLOURS)}"], 120))
    tokenizer = tokenizers.Tokenizer(folder)
    model = Model(len(tokenizer.ids), tokenizer.end, **NETWORK)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for step in range(options.steps):
        picks = torch.randint(len(rows), (32,))
        texts = ["" if rng.random() < 0.1 else f"a {index[rows[k][0]]['name']} on a {rows[k][1]} background" for k in picks]
        ids = torch.tensor([tokenizer.encode(text, 16) for text in texts])
        t = torch.rand(32)
        part, noise = t[:, None, None, None], torch.randn(32, *clean.shape[1:])
        velocity = model((1 - part) * clean[picks] + part * noise, t, ids)
        loss = (velocity - (noise - clean[picks])).square().mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * max(0.02, 1 - step / options.steps)
        optimizer.step()
    differences = export(options.out, model.eval(), encoder.eval(), decoder.eval(), mean, scale, folder, NETWORK)
    total = sizes(options.out)
    print(json.dumps({"loss": round(float(loss), 3), "difference": differences, "bytes": total, "all": sum(total.values())}, indent=1))
    if sum(total.values()) > LIMIT:
        raise SystemExit("too large")


if __name__ == "__main__":
    main()
