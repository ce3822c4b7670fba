"""Measures exported files on 200 prompts whose combination of name, style and background was never trained.

Retrieval: is the picture nearer to its own emoji than to 49 others of that style, all on the background that was asked for (so the
background helps nobody)? Background: is the colour around the emoji the one of eleven that was asked for? The floor are pictures
painted for other prompts, the ceiling the true emoji after the autoencoder.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch

import pictures
from features import SPACES, nearest
from onnx_painter import OnnxPainter
from settings import BACKGROUNDS, REPOSITORY, WORK, write_atomically
from sample import sheet
from split import held_out, prompts

BORDER = 6
SHOWN, COLUMNS = 48, 12


def border_colour(picture: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The median colour of the edge, where the true emoji leaves it free (everywhere on the edge if it leaves nothing)."""
    edge = np.ones(alpha.shape, bool)
    edge[BORDER:-BORDER, BORDER:-BORDER] = False
    free = edge & (alpha == 0)
    return np.median(picture[free if free.any() else edge], 0)


class Measure:
    def __init__(self, tier: str, count: int):
        self.rows = prompts(tier)[:count]
        assert all(held_out(row["name"], row["style"], row["background"]) for row in self.rows)
        self.drawn, index = pictures.load()
        self.place = {(entry["name"], entry["style"]): place for place, entry in enumerate(index)}
        self.colours = np.array(list(BACKGROUNDS.values()), np.float32)
        self.spaces = {name: make() for name, make in SPACES.items()}
        self.candidates = {name: self.features(name, tier, count) for name in self.spaces}

    def features(self, name: str, tier: str, count: int) -> list[np.ndarray]:
        """Of the 50 true emoji of each row, its own first. Kept in the work folder: they depend on nothing that is trained."""
        file = WORK / f"features-{name.replace(' ', '-')}-{tier}-{count}.npy"
        if not file.exists():
            found = []
            for row in self.rows:
                places = [self.place[other, row["style"]] for other in (row["name"], *row["others"])]
                found.append(self.spaces[name](self.true(places, row["background"])))
            write_atomically(file, lambda path: np.save(path.open("wb"), np.stack(found)))
        return list(np.load(file))

    def true(self, places: list[int], background: str) -> np.ndarray:
        return pictures.on_background(np.stack([self.drawn[place] for place in places]), BACKGROUNDS[background]).round().astype(np.uint8)

    def truths(self) -> np.ndarray:
        return np.concatenate([self.true([self.place[row["name"], row["style"]]], row["background"]) for row in self.rows])

    def __call__(self, made: np.ndarray) -> dict[str, float]:
        """Shares (0..1) of the rows."""
        found = {}
        for name, space in self.spaces.items():
            hits = [nearest(features, candidates) == 0 for features, candidates in zip(space(made), self.candidates[name])]
            found[f"retrieval, {name}"] = round(float(np.mean(hits)), 4)
        right = []
        for picture, row in zip(made, self.rows):
            alpha = self.drawn[self.place[row["name"], row["style"]]][..., 3]
            seen = np.abs(self.colours - border_colour(picture, alpha)).sum(1).argmin()
            right.append(list(BACKGROUNDS)[seen] == row["background"])
        found["background"] = round(float(np.mean(right)), 4)
        return found


def side_by_side(truths: np.ndarray, made: np.ndarray):
    """The first prompts of the list, none picked out."""
    rows = [np.concatenate(pair) for pair in zip(np.split(truths, SHOWN // COLUMNS), np.split(made, SHOWN // COLUMNS))]
    return sheet(np.concatenate(rows), COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "emoji" / "emoji-128")
    parser.add_argument("--tier", choices=["first", "all"], default="first")
    parser.add_argument("--count", type=int, default=200, help="prompts; fewer only for a first look")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--guidance", type=float, nargs="+", default=[2.5])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sheet", type=Path, help="a PNG of the first 48 prompts: rows of true emoji, and below each what was made of its prompt")
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
        made = np.concatenate(
            [
                painter.paint([row["prompt"] for row in part], [row["seed"] for row in part], options.steps, guidance)
                for part in (measure.rows[start : start + 20] for start in range(0, len(measure.rows), 20))
            ]
        )
        results[f"guidance {guidance}"] = measure(made)
        if "floor" not in results:
            if options.sheet:
                side_by_side(truths[:SHOWN], made[:SHOWN]).save(options.sheet, optimize=True)
            results["floor"] = measure(np.roll(made, 1, 0))
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(options.out.read_text())


if __name__ == "__main__":
    main()
