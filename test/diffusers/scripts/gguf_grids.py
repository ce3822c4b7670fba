"""The grids of GGUF's IQ formats, as the Python package gguf (MIT) has them. Usage: python gguf_grids.py OUT.json"""
import base64
import json
import sys

import numpy as np
from gguf import quants

found = {}
for name in ["IQ1_S", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S"]:
    kind = getattr(quants, name)
    kind.init_grid()
    values = np.array(kind.grid_map, dtype=np.float32)
    grid = kind.grid.reshape(kind.grid_shape)
    places = np.argmax(grid[..., None] == values, axis=-1).astype(np.uint8)
    assert (values[places] == grid).all()
    bits = 2 if len(values) < 4 else 4
    groups = places.reshape(-1, 8 // bits)
    packed = sum((groups[:, at].astype(int) << (bits * at) for at in range(8 // bits))).astype(np.uint8)
    found[name] = {"values": [int(v) for v in values], "width": kind.grid_shape[1], "bits": bits,
                   "rows": base64.b64encode(packed.tobytes()).decode()}
with open(sys.argv[1], "w") as file:
    file.write(json.dumps(found, indent=2) + "\n")
