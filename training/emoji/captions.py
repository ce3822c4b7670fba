"""Prompts for an image: its name, sometimes its style, and the background colour."""

import random

NAMED = ["{name}", "{a} {name}", "{name} emoji", "an emoji of {a} {name}", "{name} icon", "a picture of {a} {name}"]
STYLED = [
    "{name}, {style} style",
    "{a} {name}, {style} style",
    "{name} emoji, {style} style",
    "{style} style {name}",
    "{a} {style} style {name} emoji",
    "{name} in {style} style",
    "{style} {name}",
]
BEHIND = [", {colour} background", " on {a_colour} {colour} background", " on {colour}", " with {a_colour} {colour} background", ", {colour} backdrop"]


def article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def caption(name: str, style: str, background: str, rng: random.Random) -> str:
    """A random prompt for an image. White may stay unnamed; every other background colour is named."""
    text = rng.choice(STYLED if rng.random() < 0.65 else NAMED)
    if background != "white" or rng.random() < 0.3:
        behind = rng.choice(BEHIND)
        # "a fox on blue, flat style" as well as "a fox, flat style, on blue"
        head, comma, tail = text.partition(",")
        text = head + behind + comma + tail if comma and rng.random() < 0.5 else text + behind
    return text.format(name=name, a=article(name), style=style, colour=background, a_colour=article(background))


def words() -> str:
    """All words that the templates add to a name."""
    return " ".join(NAMED + STYLED + BEHIND)
