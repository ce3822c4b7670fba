"""Constants of the training, and its folder of files."""

import json
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# All files that can be created again: downloads, images, latents, checkpoints, logs.
WORK = Path(os.environ.get("EMOJI_WORK", REPOSITORY / ".cache" / "emoji-training"))

SETTINGS = json.loads((HERE / "settings.json").read_text())
BACKGROUNDS = SETTINGS["backgrounds"]
BACKGROUND_NAMES = list(BACKGROUNDS)
STYLES = list(SETTINGS["styles"].values())
PIXELS = SETTINGS["pixels"]
# Latents are 128 / 8 pixels wide, with four channels.
LATENT_SIDE, LATENT_CHANNELS = PIXELS // 8, 4
# The length of CLIP's input, so that image workflows can use this encoder like CLIP.
TEXT_LENGTH = 77


def concepts(tier: str = "all") -> list[str]:
    """Names in `concepts.txt`: the ones that are learned first (tier "first"), or all of them."""
    names = []
    for line in (HERE / "concepts.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            first, _, later = line.partition("|")
            names += [name.strip() for name in (first if tier == "first" else f"{first},{later}").split(",") if name.strip()]
    return names


def write_atomically(path: Path, write) -> None:
    """Calls `write(temporary path)` and renames the result, so that a file is always complete."""
    part = path.with_name(path.name + ".part")
    write(part)
    os.replace(part, path)
