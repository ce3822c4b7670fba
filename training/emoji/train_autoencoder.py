"""Trains the autoencoder, or (--decoder-only) sharpens its decoder while the latents stay what they are. Goes on from autoencoder.pt."""

import argparse
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

import latents as latent_cache
import pictures
from autoencoder import Decoder, Encoder
from latents import AUTOENCODER, to_pixels
from pause import Pause
from settings import BACKGROUNDS, write_atomically

BATCH, WHITE_SHARE = 24, 0.4
# What the flow's own error looks like to the decoder, in units of normalised latents.
LATENT_NOISE = 0.04


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--decoder-only", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pause-while", metavar="FILE")
    parser.add_argument("--if-missing", action="store_true", help="do nothing where there is an autoencoder")
    return parser.parse_args()


def edges(x):
    return x[..., 1:, :] - x[..., :-1, :], x[..., :, 1:] - x[..., :, :-1]


def reconstruction_loss(made, true):
    borders = sum((a - b).abs().mean() for a, b in zip(edges(made), edges(true)))
    return (made - true).abs().mean() + borders + 0.5 * F.mse_loss(made, true)


def main() -> None:
    options = arguments()
    if options.if_missing and AUTOENCODER.exists():
        return
    torch.set_num_threads(options.threads)
    torch.manual_seed(int(time.time()) if options.decoder_only else 0)
    drawn, _ = pictures.load()
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

    def save() -> None:
        mean, scale = (state["mean"], state["scale"]) if options.decoder_only else latent_cache.statistics(encoder, drawn)
        content = {"encoder": encoder.state_dict(), "decoder": decoder.state_dict(), "mean": mean, "scale": scale}
        write_atomically(AUTOENCODER, lambda path: torch.save(content, path))

    pause = Pause(options.pause_while, save)
    began = time.time()
    for step in range(options.steps):
        pause()
        if pause.asked_to_stop:
            break
        behind = colours[np.where(np.random.rand(BATCH) < WHITE_SHARE, 0, np.random.randint(len(colours), size=BATCH))]
        places = np.sort(np.random.choice(len(drawn), BATCH, replace=False))
        true = to_pixels(pictures.on_background(np.asarray(drawn[places]), behind))
        if options.decoder_only:
            with torch.no_grad():
                z = encoder(true).chunk(2, 1)[0]
            made = decoder(z + torch.randn_like(z) * LATENT_NOISE / state["scale"])
            loss = reconstruction_loss(made, true)
        else:
            true = true.flip(-1) if random.random() < 0.5 else true
            mean, variance = encoder(true).chunk(2, 1)
            variance = variance.clamp(-12, 4)
            made = decoder(mean + torch.randn_like(mean) * (0.5 * variance).exp())
            spread = 0.5 * (mean.square() + variance.exp() - 1 - variance).mean()
            loss = reconstruction_loss(made, true) + 1e-5 * spread
        rate = options.lr * min(1, (step + 1) / 100) * max(0.02, 1 - step / options.steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        if step % 100 == 99:
            l1 = float((made - true).detach().abs().mean())
            print(f"autoencoder step {step + 1}, {time.time() - began:.0f} s, loss {float(loss):.4f}, L1 {l1:.4f}", flush=True)
        if step % 500 == 499:
            save()
    save()


if __name__ == "__main__":
    main()
