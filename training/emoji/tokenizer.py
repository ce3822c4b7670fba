"""Byte-pair tokenizer in CLIP's format. Every word of the training is one token; other words are split into pieces."""

import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import captions
from settings import BACKGROUND_NAMES, SETTINGS, STYLES, TEXT_LENGTH, WORK

FOLDER = WORK / "tokenizer"
START, END = "<|startoftext|>", "<|endoftext|>"
# CLIP's rule for ASCII text: words, single digits, and sequences of other characters.
PIECES = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|(?:[^\s\w]|_)+")


def _byte_order() -> list[int]:
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    return plain + [byte for byte in range(256) if byte not in plain]


@lru_cache(None)
def byte_letters() -> dict[int, str]:
    """A printable character for each byte, in the order of GPT-2's and CLIP's vocabularies."""
    visible = len(_byte_order()) - 68
    return {byte: chr(byte) if order < visible else chr(256 + order - visible) for order, byte in enumerate(_byte_order())}


def _letters_of(word: str) -> tuple[str, ...]:
    letters = [byte_letters()[byte] for byte in word.encode()]
    return (*letters[:-1], letters[-1] + "</w>")


def _merged(parts: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    out, place = [], 0
    while place < len(parts):
        if parts[place : place + 2] == pair:
            out.append(parts[place] + parts[place + 1])
            place += 2
        else:
            out.append(parts[place])
            place += 1
    return tuple(out)


def learn(texts: list[str], limit: int) -> list[tuple[str, str]]:
    """Learns merges by descending frequency, ties by spelling, until each word is one token or the vocabulary is full."""
    counts = Counter(piece for text in texts for piece in PIECES.findall(text.lower()))
    words = {word: _letters_of(word) for word in counts}
    merges: list[tuple[str, str]] = []
    pairs: Counter = Counter()
    where: dict[tuple[str, str], set[str]] = {}
    for word, parts in words.items():
        for pair in zip(parts, parts[1:]):
            pairs[pair] += counts[word]
            where.setdefault(pair, set()).add(word)
    while pairs and len(merges) < limit:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for word in list(where[best]):
            for pair in zip(words[word], words[word][1:]):
                pairs[pair] -= counts[word]
                if pairs[pair] <= 0:
                    del pairs[pair]
            words[word] = _merged(words[word], best)
            for pair in zip(words[word], words[word][1:]):
                pairs[pair] += counts[word]
                where.setdefault(pair, set()).add(word)
        pairs.pop(best, None)
    return merges


class Tokenizer:
    def __init__(self, folder: Path = FOLDER):
        self.ids = json.loads((folder / "vocab.json").read_text())
        lines = (folder / "merges.txt").read_text().splitlines()[1:]
        self.ranks = {tuple(line.split(" ")): rank for rank, line in enumerate(lines)}
        self.start, self.end = self.ids[START], self.ids[END]
        self._known: dict[str, list[int]] = {}

    def _word(self, word: str) -> list[int]:
        if word not in self._known:
            parts = _letters_of(word)
            while len(parts) > 1:
                best = min(zip(parts, parts[1:]), key=lambda pair: self.ranks.get(pair, 1 << 30))
                if best not in self.ranks:
                    break
                parts = _merged(parts, best)
            self._known[word] = [self.ids[part] for part in parts]
        return self._known[word]

    def encode(self, text: str, length: int = TEXT_LENGTH) -> list[int]:
        """Start token, tokens, and end tokens up to `length`."""
        ids = [id for piece in PIECES.findall(text.lower()) for id in self._word(piece)][: length - 2]
        return [self.start, *ids, *[self.end] * (length - 1 - len(ids))]


def write(folder: Path, merges: list[tuple[str, str]]) -> None:
    letters = list(byte_letters().values())
    tokens = letters + [letter + "</w>" for letter in letters] + [a + b for a, b in merges] + [START, END]
    ids = {token: id for id, token in enumerate(tokens)}
    folder.mkdir(parents=True, exist_ok=True)
    marks = {"bos_token": START, "eos_token": END, "unk_token": END, "pad_token": END}
    (folder / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))
    (folder / "special_tokens_map.json").write_text(json.dumps(marks, indent=1))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {"tokenizer_class": "CLIPTokenizer", "model_max_length": TEXT_LENGTH, "do_lower_case": True, "add_prefix_space": False, **marks},
            indent=1,
        )
    )


def make(names: list[str]) -> None:
    """Builds the vocabulary from all names, so that it does not change when more names are trained."""
    if not (FOLDER / "tokenizer_config.json").exists():
        # Template words occur with every name. A count of a few hundred is enough to rank them first.
        texts = [*names, *[f"{captions.words()} {' '.join(STYLES)} {' '.join(BACKGROUND_NAMES)}"] * 200]
        write(FOLDER, learn([re.sub(r"\{\w+\}", " ", text) for text in texts], SETTINGS["vocabulary"] - 514))
