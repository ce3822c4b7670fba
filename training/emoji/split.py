"""The held-out combinations. A hash of the names selects them, so the results cannot influence the selection."""

import hashlib
import json
import random

from captions import article
from settings import BACKGROUND_NAMES, HERE, SETTINGS, concepts

PROMPTS = HERE / "evaluation-prompts.jsonl"
COUNT, CHOICES = 200, 50


def _hash(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("|".join(parts).encode()).digest()[:8], "big")


def held_out(name: str, style: str, background: str) -> bool:
    """Whether a combination is held out: one in sixteen is."""
    return _hash(name, style, background) < SETTINGS["held_out_share"] * 2**64


def _prompt(name: str, style: str, colour: str, order: int) -> str:
    forms = ["{a} {name} on {b} {colour} background, {style} style", "{name}, {style} style, {colour} background"]
    return forms[order % 2].format(name=name, a=article(name), b=article(colour), style=style, colour=colour)


def evaluation(index: list[dict], tier: str) -> list[dict]:
    """200 held-out combinations of this tier's concepts (see settings.py), each with 49 other emoji of its style."""
    tier_names = set(concepts(tier))
    entries = [(place, entry) for place, entry in enumerate(index) if entry["name"] in tier_names]
    combinations = [
        (_hash("evaluation", entry["name"], entry["style"], colour), place, entry, colour)
        for place, entry in entries
        for colour in BACKGROUND_NAMES
        if held_out(entry["name"], entry["style"], colour)
    ]
    rows = []
    for order, (key, place, entry, colour) in enumerate(sorted(combinations, key=lambda row: row[0])[:COUNT]):
        others = [p for p, other in entries if other["style"] == entry["style"] and p != place]
        rows.append(
            {
                "prompt": _prompt(entry["name"], entry["style"], colour, order),
                "name": entry["name"],
                "style": entry["style"],
                "background": colour,
                "others": [index[p]["name"] for p in random.Random(key).sample(others, CHOICES - 1)],
                "seed": order,
            }
        )
    return rows


def make(index: list[dict]) -> None:
    """Writes the prompts once, before the training. `evaluate.py` reads the file and checks it against the hash."""
    if not PROMPTS.exists():
        rows = [{"tier": tier, **row, "others": ", ".join(row["others"])} for tier in ("first", "all") for row in evaluation(index, tier)]
        PROMPTS.write_text("".join(json.dumps(row) + "\n" for row in rows))


def prompts(tier: str) -> list[dict]:
    rows = [json.loads(line) for line in PROMPTS.read_text().splitlines()]
    return [{**row, "others": row["others"].split(", ")} for row in rows if row["tier"] == tier]
