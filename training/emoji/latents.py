"""Encodes every image on every background once: latents.npy (N, backgrounds, 4, 16, 16) float16, normalised."""

import numpy as np
import torch

import images
from autoencoder import Encoder
from settings import BACKGROUNDS, LATENT_CHANNELS, LATENT_SIDE, WORK, write_atomically

LATENTS, DONE, AUTOENCODER = WORK / "latents.npy", WORK / "latents-done.npy", WORK / "autoencoder.pt"


def autoencoder_state() -> dict:
    return torch.load(AUTOENCODER, map_location="cpu", weights_only=True)


def to_pixels(rgb: np.ndarray) -> torch.Tensor:
    """Converts (B, 128, 128, 3) in 0..255 to (B, 3, 128, 128) in -1..1."""
    return torch.from_numpy(rgb / 127.5 - 1).permute(0, 3, 1, 2).float().contiguous()


def statistics(encoder, drawn: np.ndarray) -> tuple[torch.Tensor, float]:
    """Mean and inverse standard deviation of each channel, from every fourth image on varying backgrounds."""
    colours = np.array(list(BACKGROUNDS.values()))
    places = np.arange(0, len(drawn), 4)
    rgb = images.on_background(np.asarray(drawn[places]), colours[np.arange(len(places)) % len(colours)])
    with torch.no_grad():
        z = torch.cat([encoder(to_pixels(part)).chunk(2, 1)[0] for part in np.array_split(rgb, max(1, len(rgb) // 32))])
    mean = z.mean((0, 2, 3))
    return mean, float(1 / (z - mean[:, None, None]).std())


def open_cache(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The writable arrays of latents, and of flags of images that have them."""
    shape = (count, len(BACKGROUNDS), LATENT_CHANNELS, LATENT_SIDE, LATENT_SIDE)
    if not LATENTS.exists():
        np.lib.format.open_memmap(LATENTS, mode="w+", dtype=np.float16, shape=shape).flush()
        np.save(DONE, np.zeros(count, bool))
    return np.load(LATENTS, mmap_mode="r+"), np.load(DONE)


def make(requested: list[int], pause=lambda: None) -> np.ndarray:
    """The latents of the requested images. Missing ones are computed; `pause` is called between images."""
    drawn, _ = images.load()
    latents, done = open_cache(len(drawn))
    missing = [place for place in requested if not done[place]]
    if missing:
        state = autoencoder_state()
        encoder = Encoder().eval()
        encoder.load_state_dict(state["encoder"])
        colours = np.array(list(BACKGROUNDS.values()))
        for order, place in enumerate(missing):
            pause()
            rgb = images.on_background(np.repeat(drawn[place][None], len(colours), 0), colours)
            with torch.no_grad():
                z = encoder(to_pixels(rgb)).chunk(2, 1)[0]
            latents[place] = ((z - state["mean"][:, None, None]) * state["scale"]).numpy()
            done[place] = True
            if order % 100 == 99 or place == missing[-1]:
                latents.flush()
                write_atomically(DONE, lambda path: np.save(path.open("wb"), done))
                print(f"latents of {order + 1} of {len(missing)} images", flush=True)
    return latents
