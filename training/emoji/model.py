"""The network of `settings.json`, and its two states in a checkpoint."""

import torch

from network import Model
from settings import SETTINGS, WORK
from tokenizer import Tokenizer

CHECKPOINT = WORK / "checkpoint.pt"


def new(tokenizer: Tokenizer, network: dict = SETTINGS["network"]) -> Model:
    return Model(len(tokenizer.ids), tokenizer.end, **network)


def trained(tokenizer: Tokenizer, path=CHECKPOINT) -> tuple[Model, dict]:
    """Returns a model with the averaged weights of the checkpoint, and the checkpoint."""
    checkpoint = torch.load(path, map_location="cpu", weights_only=False)
    model = new(tokenizer, checkpoint["network"]).eval()
    model.load_state_dict(checkpoint["average"])
    return model, checkpoint
