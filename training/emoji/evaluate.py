"""Measures exported files on 200 prompts whose combination of name, style and background was never trained.

Retrieval: the share of images that are nearer to their own emoji than to 49 others of that style. All are compared on the
requested background, so that the background does not matter. Background: the share of images whose background is nearest to
the requested one of eleven colours. The floor uses images of other prompts, the ceiling the true emoji after the autoencoder.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import images
from features import SPACES, nearest
from onnx_painter import OnnxPainter
from settings import BACKGROUNDS, REPOSITORY, WORK, write_atomically
from sample import sheet
from split import held_out, prompts

BORDER = 6
SHOWN, COLUMNS = 48, 12


def border_colour(image: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The median colour of the edge where the true emoji does not cover it, or of the entire edge if it covers all."""
    edge = np.ones(alpha.shape, bool)
    edge[BORDER:-BORDER, BORDER:-BORDER] = False
    free = edge & (alpha == 0)
    return np.median(image[free if free.any() else edge], 0)


class Measure:
    def __init__(self, tier: str, count: int):
        self.rows = prompts(tier)[:count]
        assert all(held_out(row["name"], row["style"], row["background"]) for row in self.rows)
        self.drawn, index = images.load()
        self.place = {(entry["name"], entry["style"]): place for place, entry in enumerate(index)}
        self.colours = np.array(list(BACKGROUNDS.values()), np.float32)
        self.spaces = {name: make() for name, make in SPACES.items()}
        self.candidates = {name: self.features(name, tier, count) for name in self.spaces}

    def features(self, name: str, tier: str, count: int) -> list[np.ndarray]:
        """The features of each row's 50 true emoji, its own first. Stored in the work folder, because they never change."""
        file = WORK / f"features-{name.replace(' ', '-')}-{tier}-{count}.npy"
        if not file.exists():
            found = []
            for row in self.rows:
                places = [self.place[other, row["style"]] for other in (row["name"], *row["others"])]
                found.append(self.spaces[name](self.true(places, row["background"])))
            write_atomically(file, lambda path: np.save(path.open("wb"), np.stack(found)))
        return list(np.load(file))

    def true(self, places: list[int], background: str) -> np.ndarray:
        return images.on_background(np.stack([self.drawn[place] for place in places]), BACKGROUNDS[background]).round().astype(np.uint8)

    def truths(self) -> np.ndarray:
        return np.concatenate([self.true([self.place[row["name"], row["style"]]], row["background"]) for row in self.rows])

    def __call__(self, generated: np.ndarray) -> dict[str, float]:
        """Shares of correct rows, 0..1."""
        found = {}
        for name, space in self.spaces.items():
            hits = [nearest(features, candidates) == 0 for features, candidates in zip(space(generated), self.candidates[name])]
            found[f"retrieval, {name}"] = round(float(np.mean(hits)), 4)
        right = []
        for image, row in zip(generated, self.rows):
            alpha = self.drawn[self.place[row["name"], row["style"]]][..., 3]
            seen = np.abs(self.colours - border_colour(image, alpha)).sum(1).argmin()
            right.append(list(BACKGROUNDS)[seen] == row["background"])
        found["background"] = round(float(np.mean(right)), 4)
        return found


def side_by_side(truths: np.ndarray, generated: np.ndarray):
    """Generates images of the first prompts of the list, without choosing the best ones."""
    rows = [np.concatenate(pair) for pair in zip(np.split(truths, SHOWN // COLUMNS), np.split(generated, SHOWN // COLUMNS))]
    return sheet(np.concatenate(rows), COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "emoji" / "emoji-128")
    parser.add_argument("--tier", choices=["first", "all"], default="first")
    parser.add_argument("--count", type=int, default=200, help="number of prompts; use fewer only for a quick look")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--guidance", type=float, nargs="+", default=[2.5])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sheet", type=Path, help="a PNG of the first 48 prompts: rows of true emoji, each above the generated images")
    parser.add_argument("--out", type=Path, default=WORK / "evaluation.json")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    measure = Measure(options.tier, options.count)
    painter = OnnxPainter(options.model, options.threads)
    truths = measure.truths()
    results = {
        "prompts": len(measure.rows),
        "tier": options.tier,
        "steps": options.steps,
        "ceiling": measure(np.concatenate([painter.decode(painter.encode(part)) for part in np.array_split(truths, 10)])),
    }
    for guidance in options.guidance:
        generated = np.concatenate(
            [
                painter.paint([row["prompt"] for row in part], [row["seed"] for row in part], options.steps, guidance)
                for part in (measure.rows[start : start + 20] for start in range(0, len(measure.rows), 20))
            ]
        )
        results[f"guidance {guidance}"] = measure(generated)
        if "floor" not in results:
            if options.sheet:
                side_by_side(truths[:SHOWN], generated[:SHOWN]).save(options.sheet, optimize=True)
            results["floor"] = measure(np.roll(generated, 1, 0))
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(options.out.read_text())


if __name__ == "__main__":
    main()
