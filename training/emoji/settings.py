"""What the training is made from, and where it keeps its files."""

import json
import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# Everything that can be made again lives here: downloads, pictures, latents, checkpoints, logs.
WORK = Path(os.environ.get("EMOJI_WORK", REPOSITORY / ".cache" / "emoji-training"))

SETTINGS = json.loads((HERE / "settings.json").read_text())
BACKGROUNDS = SETTINGS["backgrounds"]
BACKGROUND_NAMES = list(BACKGROUNDS)
STYLES = list(SETTINGS["styles"].values())
PIXELS = SETTINGS["pixels"]
# 128 / 8, four numbers each
LATENT_SIDE, LATENT_CHANNELS = PIXELS // 8, 4
# What CLIP text encoders take, so that image workflows can feed this one in the same way.
TEXT_LENGTH = 77


def concepts(tier: str = "all") -> list[str]:
    """Names in `concepts.txt`: those learned first (tier "first") or all of them."""
    names = []
    for line in (HERE / "concepts.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            first, _, later = line.partition("|")
            names += [name.strip() for name in (first if tier == "first" else f"{first},{later}").split(",") if name.strip()]
    return names


def write_atomically(path: Path, write) -> None:
    """`write(temporary path)`, then rename: a file is either the old one or the whole new one."""
    part = path.with_name(path.name + ".part")
    write(part)
    os.replace(part, path)
