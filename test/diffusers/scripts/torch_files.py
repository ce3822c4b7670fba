"""Writes files of torch.save in its layouts and pickle protocols: torch/.

    python torch_files.py

All files hold the same value: a state as training frameworks save it, with tensors of many types.
"""

import sys
from collections import OrderedDict, defaultdict
from pathlib import Path
from types import ModuleType

import numpy
import torch

FOLDER = Path(__file__).parent.parent / "torch"

# The class that PyTorch Lightning uses as a key.
callbacks = ModuleType("pytorch_lightning.callbacks.model_checkpoint")
callbacks.ModelCheckpoint = type("ModelCheckpoint", (), {"__module__": callbacks.__name__})
sys.modules["pytorch_lightning"] = ModuleType("pytorch_lightning")
sys.modules["pytorch_lightning.callbacks"] = ModuleType("pytorch_lightning.callbacks")
sys.modules[callbacks.__name__] = callbacks

shared = torch.arange(24, dtype=torch.float32)
state = OrderedDict(
    {
        "a.weight": shared[:6].reshape(2, 3),
        "a.bias": shared[6:8],
        "half": torch.tensor([1, -2, float("nan")], dtype=torch.float16),
        "brain": torch.tensor([1.5, 2], dtype=torch.bfloat16),
        "double": torch.tensor([0.5], dtype=torch.float64),
        "tiny": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
        "tinier": torch.tensor([1.0, 2.0]).to(torch.float8_e5m2),
        "scalar": torch.tensor(7),
        "mask": torch.tensor([True, False]),
        "small": torch.tensor([1, 2], dtype=torch.uint16),
        "parameter": torch.nn.Parameter(torch.ones(2, 2)),
        "empty": torch.zeros(0, 3),
        "expanded": torch.arange(4).expand(1, -1),
    }
)
state._metadata = OrderedDict({"": {"version": 1}})
value = {
    "state_dict": state,
    "epoch": 3,
    "global_step": numpy.int64(5),
    "best": numpy.float64(1.5),
    "rate": 0.1,
    "seed": 2**70,
    "dtype": torch.float16,
    "size": torch.Size([1, 2]),
    "device": torch.device("cpu"),
    "set": {1, 2},
    "bytes": b"abc",
    "names": ["ä", None, True, (1, 2, 3, 4)],
    "counts": defaultdict(int),
    "callbacks": {callbacks.ModelCheckpoint: {"best_model_score": torch.tensor(0.25)}},
}

FOLDER.mkdir(exist_ok=True)
for protocol in (2, 3, 4, 5):
    torch.save(value, FOLDER / f"archive{protocol}.pt", pickle_protocol=protocol)
for protocol in (2, 4):
    path = FOLDER / f"legacy{protocol}.pt"
    torch.save(value, path, pickle_protocol=protocol, _use_new_zipfile_serialization=False)
torch.save({"weight": torch.ones(3, 2).t()}, FOLDER / "transposed.pt")
torch.save(torch.nn.Linear(2, 2), FOLDER / "module.pt")
