"""Random blocks of GGUF's formats, and their numbers by the Python package gguf. Usage: python gguf_blocks.py"""
import base64
import json
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import dequantize

# The bytes at which the 16-bit scales of a block begin.
SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
}

random = np.random.default_rng(7)
found = {}
for name, places in SCALES.items():
    kind = gguf.GGMLQuantizationType[name]
    _, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (4, size), dtype=np.uint8)
    for index, place in enumerate(places):
        scales = np.array([0.0123, -1.5, 3e-6, 0.75], dtype=np.float16) * np.float16(index + 1)
        blocks[:, place : place + 2] = scales.view(np.uint8).reshape(4, 2)
    numbers = dequantize(blocks, kind).astype(np.float32)
    found[name] = {key: base64.b64encode(value.tobytes()).decode() for key, value in [("bytes", blocks), ("numbers", numbers)]}
Path(__file__).parent.parent.joinpath("weight_files", "gguf_blocks.json").write_text(json.dumps(found, indent=1) + "\n")
