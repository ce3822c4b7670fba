"""Blocks of GGUF's formats, and their numbers by the Python package gguf. Usage: python gguf_blocks.py

Two blocks are random, the third has zeros in every other byte, and the fourth ones in all bits. Scales are set apart.
"""
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
    "IQ1_S": [0], "IQ1_M": [], "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0],
    "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64], "MXFP4": [], "NVFP4": [],
}
VALUES = np.array([0.0123, -1.5, 3e-6, 0.75], dtype=np.float16)

random = np.random.default_rng(7)
found = {}
for name, places in SCALES.items():
    kind = gguf.GGMLQuantizationType[name]
    _, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (4, size), dtype=np.uint8)
    blocks[2, ::2], blocks[3] = 0, 255
    for index, place in enumerate(places):
        scales = VALUES * np.float16(index + 1)
        blocks[:, place : place + 2] = scales.view(np.uint8).reshape(4, 2)
    if name == "IQ1_M":
        # The upper 4 bits of four 16-bit numbers are the scale.
        for part in range(4):
            upper = (VALUES.view(np.uint16) >> (4 * part)) & 15
            blocks[:, 49 + 2 * part] = (blocks[:, 49 + 2 * part] & 15) | (upper << 4)
    if name == "MXFP4":
        blocks[:, 0] = [127, 0, 120, 252]
    numbers = dequantize(blocks, kind).astype(np.float32)
    found[name] = {key: base64.b64encode(value.tobytes()).decode() for key, value in [("bytes", blocks), ("numbers", numbers)]}
Path(__file__).parent.parent.joinpath("weight_files", "gguf_blocks.json").write_text(json.dumps(found, indent=1) + "\n")
