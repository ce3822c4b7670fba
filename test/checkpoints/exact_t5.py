"""Computes the recorded prompts of stable_audio in 64-bit floats, and prints how far the recording is from them.

    python3 test/checkpoints/exact_t5.py RECORDINGS

The tokens are recorded, and the weights follow from the recipe. Needs numpy.
"""

import json
import sys

import numpy as np

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)
import recipe  # noqa: E402

PREFIX, HEADS, END = "text_encoders.t5base.transformer.", 12, 1


def read(path):
    with open(f"{FOLDER}/{path}", encoding="utf-8") as file:
        return json.load(file)


def weights():
    """Rounded to 16 bits, as in the file."""
    for entry in read("manifests/stable_audio.json")["tensors"]:
        if entry[0].startswith(PREFIX):
            halves = np.frombuffer(b"".join(recipe.chunks(entry)), dtype=np.float16)
            yield entry[0][len(PREFIX) :], halves.reshape(entry[1]).astype(np.float64)


W = dict(weights())


def norm(x, name):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * W[name + "layer_norm.weight"]


def distance_scores(count):
    """The learned scores [heads, tokens, tokens]: 16 buckets to each side, of which 8 are exact and 8 logarithmic."""
    distance = np.arange(count)[None] - np.arange(count)[:, None]
    far = np.abs(distance)
    logarithmic = 8 + (np.log(np.maximum(far, 1) / 8) / np.log(128 / 8) * 8).astype(int)
    bucket = 16 * (distance > 0) + np.where(far < 8, far, np.minimum(logarithmic, 15))
    return W["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"][bucket].transpose(2, 0, 1)


def encode(ids, count):
    """The first `count` tokens: the others are padding, which nothing sees."""
    x = W["shared.weight"][ids[:count]]
    bias = distance_scores(count)
    for number in range(12):
        block = f"encoder.block.{number}.layer."
        normed = norm(x, block + "0.")
        attention = block + "0.SelfAttention."
        q, k, v = (
            (normed @ W[f"{attention}{part}.weight"].T).reshape(count, HEADS, -1).transpose(1, 0, 2) for part in "qkv"
        )
        scores = q @ k.transpose(0, 2, 1) + bias
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        seen = shares / shares.sum(-1, keepdims=True) @ v
        x = x + seen.transpose(1, 0, 2).reshape(count, -1) @ W[attention + "o.weight"].T
        dense = block + "1.DenseReluDense."
        hidden = np.maximum(norm(x, block + "1.") @ W[dense + "wi.weight"].T, 0)
        x = x + hidden @ W[dense + "wo.weight"].T
    return norm(x, "encoder.final_")


def encode_weighted(tokens):
    ids = [token for token, _, times in tokens for _ in range(times)]
    weight = np.array([each for _, each, times in tokens for _ in range(times)])
    result = np.zeros((len(ids), W["shared.weight"].shape[1]))
    count = ids.index(END) + 1
    result[:count] = encode(ids, count)
    empty = np.zeros_like(result)
    empty[:1] = encode([END], 1)
    changed = (weight != 1)[:, None]
    return np.where(changed, (result - empty) * weight[:, None] + empty, result)


recording = read("numbers/stable_audio.json")
recorded = np.load(f"{FOLDER}/numbers/stable_audio.npz")
for name, text in recording["text"].items():
    array = f"text.{name}.cond"
    described = recording["arrays"][array]
    exact = encode_weighted(text["tokens_rle[id,weight,times]"]["t5base"][0]).ravel()
    if "sampled" in described:
        exact = exact[np.arange(described["sampled"]) * exact.size // described["sampled"]]
    difference = np.abs(recorded[array].ravel() - exact).max() / described["std"]
    print(f"{array}: the recording is {difference:.1e} of its spread from 64-bit floats")
