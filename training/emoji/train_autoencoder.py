"""
Trains the autoencoder. With --decoder-only it sharpens the decoder without changing latents: half of the inputs are then sketches of
the trained text encoder, so that the decoder learns to turn blurred sketches into clear images. Continues from autoencoder.pt.
"""

import argparse
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

import latents as latent_cache
import model as models
import images
from autoencoder import Decoder, Encoder
from captions import caption
from latents import AUTOENCODER, to_pixels
from pause import Pause
from settings import BACKGROUND_NAMES, BACKGROUNDS, concepts, write_atomically
from split import held_out
from tokenizer import Tokenizer

BATCH, WHITE_SHARE = 24, 0.4
# The error of the flow, as noise of the decoder's input, in units of normalised latents.
LATENT_NOISE = 0.04
# The additional error of a sketch on held-out combinations.
SKETCH_NOISE = 0.06
CAPTION_LENGTH = 24


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--decoder-only", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pause-while", metavar="FILE")
    parser.add_argument("--if-missing", action="store_true", help="do nothing if there is an autoencoder")
    return parser.parse_args()


def edges(x):
    return x[..., 1:, :] - x[..., :-1, :], x[..., :, 1:] - x[..., :, :-1]


def reconstruction_loss(decoded, true):
    borders = sum((a - b).abs().mean() for a, b in zip(edges(decoded), edges(true)))
    return (decoded - true).abs().mean() + borders + 0.5 * F.mse_loss(decoded, true)


class Sketches:
    """Sketches of the trained text encoder, in normalised latents, for trained images and backgrounds."""

    def __init__(self, index: list[dict]):
        self.tokenizer = Tokenizer()
        self.model, checkpoint = models.trained(self.tokenizer)
        self.rng = random.Random()
        known = set(concepts(checkpoint["tier"]))
        self.index = index
        self.pairs = [
            (place, order)
            for place, entry in enumerate(index)
            if entry["name"] in known
            for order, colour in enumerate(BACKGROUND_NAMES)
            if not held_out(entry["name"], entry["style"], colour)
        ]

    @torch.no_grad()
    def __call__(self, count: int) -> tuple[torch.Tensor, np.ndarray, np.ndarray]:
        """Latents (count, 4, 16, 16), and the indexes of their images and backgrounds."""
        pairs = np.array(self.rng.sample(self.pairs, count))
        asked = [
            caption(self.index[place]["name"], self.index[place]["style"], BACKGROUND_NAMES[order], self.rng)
            for place, order in pairs
        ]
        ids = torch.tensor([self.tokenizer.encode(text, CAPTION_LENGTH) for text in asked])
        z = self.model.flow.sketch(self.model.text(ids))
        return z + torch.randn_like(z) * SKETCH_NOISE * torch.rand(count, 1, 1, 1), pairs[:, 0], pairs[:, 1]


def main() -> None:
    options = arguments()
    if options.if_missing and AUTOENCODER.exists():
        return
    torch.set_num_threads(options.threads)
    torch.manual_seed(int(time.time()) if options.decoder_only else 0)
    drawn, index = images.load()
    encoder, decoder = Encoder(), Decoder()
    state = latent_cache.autoencoder_state() if AUTOENCODER.exists() else None
    if state:
        encoder.load_state_dict(state["encoder"])
        decoder.load_state_dict(state["decoder"])
    elif options.decoder_only:
        raise SystemExit("there is no autoencoder.pt whose decoder could be trained: run without --decoder-only first")
    trained = [*decoder.parameters(), *([] if options.decoder_only else encoder.parameters())]
    optimizer = torch.optim.AdamW(trained, lr=options.lr, betas=(0.9, 0.99), weight_decay=1e-4)
    colours = np.array(list(BACKGROUNDS.values()))
    sketches = Sketches(index) if options.decoder_only and models.CHECKPOINT.exists() else None
    sketched = BATCH // 2 if sketches else 0

    def save() -> None:
        mean, scale = (state["mean"], state["scale"]) if options.decoder_only else latent_cache.statistics(encoder, drawn)
        content = {"encoder": encoder.state_dict(), "decoder": decoder.state_dict(), "mean": mean, "scale": scale}
        write_atomically(AUTOENCODER, lambda path: torch.save(content, path))

    pause = Pause(options.pause_while, save)
    began = time.time()
    for step in range(options.steps):
        pause()
        if pause.is_stopping:
            break
        encoded = BATCH - sketched
        behind = colours[np.where(np.random.rand(encoded) < WHITE_SHARE, 0, np.random.randint(len(colours), size=encoded))]
        places = np.sort(np.random.choice(len(drawn), encoded, replace=False))
        true = to_pixels(images.on_background(np.asarray(drawn[places]), behind))
        if options.decoder_only:
            with torch.no_grad():
                z = encoder(true).chunk(2, 1)[0]
            z = z + torch.randn_like(z) * LATENT_NOISE / state["scale"]
            if sketches:
                drawn_by_text, of, orders = sketches(sketched)
                z = torch.cat([z, drawn_by_text / state["scale"] + state["mean"][:, None, None]])
                true = torch.cat([true, to_pixels(images.on_background(np.asarray(drawn[of]), colours[orders]))])
            decoded = decoder(z)
            loss = reconstruction_loss(decoded, true)
        else:
            true = true.flip(-1) if random.random() < 0.5 else true
            mean, variance = encoder(true).chunk(2, 1)
            variance = variance.clamp(-12, 4)
            decoded = decoder(mean + torch.randn_like(mean) * (0.5 * variance).exp())
            spread = 0.5 * (mean.square() + variance.exp() - 1 - variance).mean()
            loss = reconstruction_loss(decoded, true) + 1e-5 * spread
        rate = options.lr * min(1, (step + 1) / 100) * max(0.02, 1 - step / options.steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        if step % 100 == 99:
            l1 = float((decoded - true).detach().abs().mean())
            print(f"autoencoder step {step + 1}, {time.time() - began:.0f} s, loss {float(loss):.4f}, L1 {l1:.4f}", flush=True)
        if step % 500 == 499:
            save()
    save()


if __name__ == "__main__":
    main()
