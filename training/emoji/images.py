"""Downloads the two emoji sets from npm and renders them: `pictures.npy` (N, 128, 128, 4) uint8, premultiplied, and `pictures.json`."""

import io
import json
import re
import subprocess
import tarfile

import numpy as np

from settings import PIXELS, SETTINGS, WORK, write_atomically

IMAGES, INDEX = WORK / "pictures.npy", WORK / "pictures.json"
MARGIN = 0.06


def fetch(package: str, version: str):
    """The parsed icons.json and metadata.json of a package. The work folder caches the package."""
    folder = WORK / "packages" / f"{package.split('/')[1]}-{version}"
    if not (folder / "package" / "icons.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["npm", "pack", f"{package}@{version}", "--silent"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.split()[-1]
        with tarfile.open(folder / packed) as archive:
            archive.extractall(folder, filter="data")
    return tuple(json.loads((folder / "package" / name).read_text()) for name in ("icons.json", "metadata.json"))


def render(svg: str) -> np.ndarray:
    import resvg_py
    from PIL import Image

    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=PIXELS, height=PIXELS))
    unmultiplied = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"), dtype=np.float32)
    alpha = unmultiplied[..., 3:]
    return np.concatenate([np.round(unmultiplied[..., :3] * alpha / 255), alpha], -1).astype(np.uint8)


def icons():
    """(style, category, name, svg) of every emoji in use: no people, flags, letters, arrows."""
    skip = re.compile(SETTINGS["skip"])
    for package, version in SETTINGS["packages"].items():
        icon_set = package.split("/")[1]
        drawn, metadata = fetch(package, version)
        for category in SETTINGS["categories"]:
            for name in metadata["categories"].get(category, []):
                icon = drawn["icons"].get(name)
                if icon is None or skip.search(name) or f"{icon_set}/{name}" in SETTINGS["unrenderable"]:
                    continue
                width, height = (icon.get(side, drawn.get(side, 16)) for side in ("width", "height"))
                side = max(width, height)
                pad = side * MARGIN
                box = f"{-pad - (side - width) / 2} {-pad - (side - height) / 2} {side + 2 * pad} {side + 2 * pad}"
                yield (
                    SETTINGS["styles"][icon_set],
                    category,
                    name.replace("-", " "),
                    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{PIXELS}" height="{PIXELS}">{icon["body"]}</svg>',
                )


def make() -> None:
    if IMAGES.exists() and INDEX.exists():
        return
    index, drawn = [], []
    for style, category, name, svg in icons():
        drawn.append(render(svg))
        index.append({"style": style, "category": category, "name": name})
    write_atomically(IMAGES, lambda path: np.save(path.open("wb"), np.stack(drawn)))
    write_atomically(INDEX, lambda path: path.write_text(json.dumps(index)))
    print(f"{len(index)} images", flush=True)


def load() -> tuple[np.ndarray, list[dict]]:
    return np.load(IMAGES, mmap_mode="r"), json.loads(INDEX.read_text())


def on_background(image: np.ndarray, colour) -> np.ndarray:
    """Blends (..., 128, 128, 4) premultiplied uint8 over RGB colours: float32 in 0..255, (..., 128, 128, 3)."""
    image = image.astype(np.float32)
    colour = np.asarray(colour, np.float32)[..., None, None, :]
    return image[..., :3] + colour * (1 - image[..., 3:] / 255)


if __name__ == "__main__":
    make()
