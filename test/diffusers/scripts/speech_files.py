"""Computes answers of small encoders of speech with transformers, as weight_files.py does for others.

    python speech_files.py [NAME ...]

Writes weight_files/NAME.json.
"""

import sys

import torch
from weight_files import main, published, weights_for


def wav2vec2(is_large):
    from transformers import Wav2Vec2Config, Wav2Vec2Model

    config = Wav2Vec2Config(
        hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=20, conv_dim=(8,) * 7,
        feat_extract_norm="layer" if is_large else "group", conv_bias=is_large, do_stable_layer_norm=is_large,
        num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, vocab_size=8,
    )
    module = Wav2Vec2Model(config)

    def names(key):
        key = key.replace("parametrizations.weight.original0", "weight_g").replace("parametrizations.weight.original1", "weight_v")
        # The larger models are published with the head for letters around them.
        return f"wav2vec2.{key}" if is_large else key

    shapes, load = published(module, names)
    inputs = {"audio": [1, 2, 2000]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    audio = weights["audio"].mean(1)
    if is_large:
        audio = (audio - audio.mean()) / (audio.var() + 1e-7).sqrt()
    result = module(audio, output_hidden_states=True)
    return shapes, inputs, {"layers": torch.stack([*result.hidden_states[:-1], result.last_hidden_state])}


def whisper():
    from transformers import WhisperConfig, WhisperFeatureExtractor
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    module = WhisperEncoder(WhisperConfig(
        d_model=128, encoder_layers=2, encoder_attention_heads=2, encoder_ffn_dim=20, num_mel_bins=16,
    ))
    shapes, load = published(module, lambda key: f"model.encoder.{key}")
    inputs = {"audio": [1, 2, 8000]}
    weights = weights_for({**shapes, **inputs})
    load(weights)
    extract = WhisperFeatureExtractor(feature_size=16)
    loudness = extract(weights["audio"].mean(1)[0].numpy(), sampling_rate=16_000, return_tensors="pt").input_features
    layers = torch.stack(module(loudness, output_hidden_states=True).hidden_states)
    # A few steps stand for all of them.
    return shapes, inputs, {"steps": layers[:, :, [0, 20, 1499]]}


FAMILIES = {
    "wav2vec2_large": lambda: wav2vec2(True), "wav2vec2_base": lambda: wav2vec2(False), "whisper": whisper,
}

with torch.no_grad():
    main(sys.argv[1:], FAMILIES)
