"""Computes answers of small networks of ACE-Step 1.5 with diffusers, as weight_files.py does for others.

    python ace_step_15_files.py [NAME ...]

Writes weight_files/NAME.json. Two things are as in ComfyUI: all tokens of the encoders see each other, and numbers of
codes pass through a second tangent.
"""

import json
import re
import sys
from pathlib import Path

import torch
from weight_files import main, published, weights_for

SILENCE = Path(__file__).parents[3] / "core/image-workflows/models/families/ace-step/v15/silence.json"
CHANNELS = 64
SIZES = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
# The encoders are narrower than the transformer, as in the large models.
NARROW = {"hidden_size": 24, "intermediate_size": 40, **SIZES}

NAMES = (
    (r"\.to_([qkv])\.", r".\1_proj."),
    (r"\.to_out\.0\.", ".o_proj."),
    (r"\.norm_([qk])\.", r".\1_norm."),
    (r"^proj_(in|out)_conv\.", r"proj_\1.1."),
)


def published_part(module, prefix):
    def names(key):
        if key == "silence_latent":
            return None
        if key == "null_condition_emb":
            return key
        for pattern, name in NAMES:
            key = re.sub(pattern, name, key)
        return prefix + key

    return published(module, names)


def silence(cells):
    numbers = json.loads(SILENCE.read_text())
    rows = (numbers["first"] + [numbers["rest"]] * cells)[:cells]
    return torch.tensor(rows)[None]


def ace_step_15():
    from diffusers import AceStepTransformer1DModel
    from diffusers.pipelines.ace_step.modeling_ace_step import (
        AceStepAudioTokenDetokenizer,
        AceStepAudioTokenizer,
        AceStepConditionEncoder,
    )

    everything = 10_000
    transformer = AceStepTransformer1DModel(
        hidden_size=32, intermediate_size=48, num_hidden_layers=3, in_channels=3 * CHANNELS, encoder_hidden_size=24, **SIZES)
    conditions = AceStepConditionEncoder(
        text_hidden_dim=12, num_lyric_encoder_hidden_layers=2, num_timbre_encoder_hidden_layers=2,
        sliding_window=everything, **NARROW)
    tokenizer = AceStepAudioTokenizer(fsq_dim=24, num_attention_pooler_hidden_layers=1, **NARROW)
    detokenizer = AceStepAudioTokenDetokenizer(num_attention_pooler_hidden_layers=1, **NARROW)
    tokenizer.quantizer._quantize = lambda x: quantized(tokenizer.quantizer, x)
    modules = {"decoder.": transformer, "encoder.": conditions, "tokenizer.": tokenizer, "detokenizer.": detokenizer}
    parts = [published_part(module, prefix) for prefix, module in modules.items()]
    shapes = {name: shape for part, _ in parts for name, shape in part.items()}
    inputs = {"x": [1, CHANNELS, 9], "long": [1, CHANNELS, 280], "text": [1, 4, 12], "lyrics": [1, 6, 12],
              "timbre": [1, CHANNELS, 8]}
    weights = weights_for({**shapes, **inputs})
    # Smaller weights lose the input on the way, and all codes would be the same.
    for name in shapes:
        weights[name] *= 3 if weights[name].ndim > 1 else 1
    weights["tokenizer.quantizer.project_in.weight"] *= 8
    for _, load in parts:
        load(weights)

    def packed(heard):
        ones = lambda x: torch.ones(x.shape[:2], dtype=torch.long)
        return conditions(weights["text"], ones(weights["text"]), weights["lyrics"], ones(weights["lyrics"]), heard,
                          torch.zeros(1, dtype=torch.long))[0]

    def run(x, context, source, timestep):
        latents = x.transpose(1, 2)
        time = torch.tensor([timestep])
        around = torch.cat([source, torch.ones_like(source)], dim=-1)
        return transformer(latents, time, time, context, around).sample.transpose(1, 2)

    x, long = weights["x"], weights["long"]
    plain = run(x, packed(silence(9)), silence(9), 0.7)
    # Codes that are missing are the last of the codebook's first ones.
    codes = torch.tensor([[41_234, 35_847]])
    hints = detokenizer(tokenizer.quantizer.get_output_from_indices(codes))[:, :9]
    heard = torch.cat([weights["timbre"].transpose(1, 2), silence(9)[:, 8:]], dim=1)
    tokens, indices = tokenizer.tokenize(heard)
    followed = detokenizer(tokens)[:, :9]
    answers = {
        "plain": plain,
        "codes": run(x, packed(silence(9)), hints, 0.7),
        "timbre": run(x, packed(heard), followed, 0.7),
        "timbre codes": indices[..., 0].float(),
        "without prompt": run(x, conditions.null_condition_emb, silence(9), 0.7),
        "two rows of long": run(long, packed(silence(280)), silence(280), 0.4)[:, :2],
    }
    return shapes, inputs, answers


def quantized(module, x):
    levels = module._levels.to(x)
    return 2 / (levels - 1) * torch.floor((levels - 1) * (x.tanh() + 1) / 2 + 0.5) - 1


def ace_vae_15():
    """The autoencoder of Stable Audio in torch with other strides, and with the older names of lengths and directions."""
    from audio_files import Layers, Snake, conv, decoder_level, encoder_level

    strides = (2, 4, 4, 6, 10)
    module = torch.nn.Module()
    module.encoder = Layers(
        conv(2, 4, 7, padding=3), *[encoder_level(4, 4, stride) for stride in strides], Snake(4), conv(4, 2 * CHANNELS, 3, padding=1)
    )
    module.decoder = Layers(
        conv(CHANNELS, 4, 7, padding=3), *[decoder_level(4, 4, stride) for stride in reversed(strides)], Snake(4),
        conv(4, 2, 7, padding=3, bias=False),
    )
    older = {"original0": "weight_g", "original1": "weight_v"}
    shapes, load = published(module, lambda key: re.sub(
        r"parametrizations\.weight\.(original\d)", lambda match: older[match[1]], key))
    inputs = {"audio": [1, 2, 3840], "latent": [1, CHANNELS, 2]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    # The end of a long answer stands for all of it.
    return shapes, inputs, {"encoded": module.encoder(weights["audio"])[:, :CHANNELS],
                            "end": module.decoder(weights["latent"])[..., -200:]}


FAMILIES = {"ace_step_15": ace_step_15, "ace_vae_15": ace_vae_15}

if __name__ == "__main__":
    with torch.no_grad():
        main(sys.argv[1:], FAMILIES)
