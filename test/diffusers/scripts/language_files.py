"""Computes answers of small networks whose prompts come from language models, with diffusers and transformers.

    python language_files.py [NAME ...]

Writes weight_files/NAME.json, as weight_files.py.
"""

import sys

import torch
from weight_files import main, published, weights_for


def hidream():
    from diffusers import HiDreamImageTransformer2DModel

    module = HiDreamImageTransformer2DModel(
        patch_size=2, in_channels=4, out_channels=4, num_layers=1, num_single_layers=2, attention_head_dim=128,
        num_attention_heads=1, caption_channels=[6, 5], text_emb_dim=7, num_routed_experts=4, num_activated_experts=2,
        axes_dims_rope=(64, 32, 32), max_resolution=(8, 8), llama_layers=[0, 1, 1],
    )
    shapes, load = published(module, lambda key: key)
    inputs = {
        "x": [1, 4, 4, 4], "wide": [1, 4, 4, 8], "t5": [1, 3, 6], "layers": [1, 2, 5, 5], "pooled": [1, 7],
    }
    weights = weights_for({**shapes, **inputs})
    load(weights)

    def answer(x):
        # Images that are not squares come as tokens with a mask.
        _, channels, height, width = x.shape
        rows, columns = height // 2, width // 2
        tokens = x.reshape(1, channels, rows, 2, columns, 2).permute(0, 2, 4, 3, 5, 1).reshape(1, rows * columns, -1)
        ids = torch.zeros(rows, columns, 3)
        ids[..., 1] += torch.arange(rows)[:, None]
        ids[..., 2] += torch.arange(columns)[None, :]
        output = module(
            tokens, torch.tensor([700.0]), weights["t5"], weights["layers"].movedim(1, 0), weights["pooled"],
            ids.reshape(1, -1, 3), [(rows, columns)], torch.ones(1, rows * columns),
        ).sample
        return -output

    answers = {"plain": answer(weights["x"]), "wide": answer(weights["wide"])}
    answers["edited"] = answer(torch.cat([weights["x"], weights["x"] / 2], dim=-1))[..., :4]
    square = -module(
        weights["x"], torch.tensor([700.0]), weights["t5"], weights["layers"].movedim(1, 0), weights["pooled"],
    ).sample
    assert torch.allclose(square, answers["plain"], atol=1e-6)
    return shapes, inputs, answers


def llama3():
    """All layers of a prompt of three tokens, which pad tokens follow that nobody sees."""
    from transformers import LlamaConfig, LlamaModel

    module = LlamaModel(LlamaConfig(
        vocab_size=20, hidden_size=16, intermediate_size=24, num_hidden_layers=4, num_attention_heads=2,
        num_key_value_heads=1, head_dim=128, rms_norm_eps=1e-5, rope_theta=500000.0,
    ))
    shapes, load = published(module, lambda key: f"model.{key}")
    load(weights_for(shapes))
    ids = torch.full((1, 128), 9)
    ids[0, :3] = torch.tensor([8, 4, 5])
    mask = (torch.arange(128) < 3).long()[None]
    states = module(ids, mask, output_hidden_states=True).hidden_states
    return shapes, {}, {"layers": torch.stack(states, dim=1)[:, :, :6]}


def llava_vision():
    from transformers import CLIPVisionConfig, CLIPVisionModel

    module = torch.nn.Module()
    module.clip = CLIPVisionModel(CLIPVisionConfig(
        hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=16, image_size=8, patch_size=4,
    ))
    module.multi_modal_projector = torch.nn.Module()
    module.multi_modal_projector.linear_1 = torch.nn.Linear(32, 24)
    module.multi_modal_projector.linear_2 = torch.nn.Linear(24, 24)

    def names(key):
        if key.endswith("position_ids"):
            return None
        key = key.removeprefix("clip.")
        return key if key.startswith(("vision_model.", "multi_modal_projector.")) else f"vision_model.{key}"

    shapes, load = published(module, names)
    inputs = {"image": [1, 8, 8, 3]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # Images have 8 bits.
    image = (255 * (weights["image"] + 0.5)).round() / 255
    mean = torch.tensor([0.48145466, 0.4578275, 0.40821073])
    std = torch.tensor([0.26862954, 0.26130258, 0.27577711])
    pixels = ((image - mean) / std).permute(0, 3, 1, 2)
    state = module.clip(pixels, output_hidden_states=True).hidden_states[-2][:, 1:]
    projector = module.multi_modal_projector
    tokens = projector.linear_2(torch.nn.functional.gelu(projector.linear_1(state)))
    return shapes, inputs, {"tokens": tokens}


FAMILIES = {"llava_vision": llava_vision, "hidream": hidream, "llama3": llama3}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
