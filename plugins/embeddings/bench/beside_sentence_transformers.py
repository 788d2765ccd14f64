"""Compares the vectors of LocalEmbed with those of sentence-transformers, for 200 texts.

pip install sentence-transformers
examples/answers/get-model.sh FOLDER
python plugins/embeddings/bench/beside_sentence_transformers.py FOLDER [fp32|q8]

The texts are titles of films, paragraphs of the documentation, some longer than the model reads, and lines in other
scripts. The plugin must be built, and headrace in PATH.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
from sentence_transformers import SentenceTransformer

OTHERS = ["Größe und Maß: 5 µm", "Москва слезам не верит", "東京は日本の首都です。", "مرحبا بالعالم", "👩‍🚀 went to 🌕", "ÀÉÎÕÜ e\u0301\u0302", "a\tb\u00a0c\u200bd", "x" * 300, "?!", "1,234.56 € / 2^10"]
ROOT = pathlib.Path(__file__).parents[3]


def texts():
    titles = [json.loads(line)["Title"] for line in open(ROOT / "examples/data/movies.jsonl")]
    pages = (path.read_text() for path in sorted((ROOT / "docs").rglob("*.md")))
    paragraphs = [part.strip() for page in pages for part in page.split("\n\n") if part.strip()]
    longest = sorted(paragraphs, key=len)[-20:]
    some = paragraphs[:: len(paragraphs) // 120]
    found = [str(title) for title in titles if title][:60] + longest + OTHERS + some
    return found[:200]


def vectors_of_headrace(inputs, folder, kind, scratch):
    source, target = scratch / "texts.jsonl", scratch / "vectors.jsonl"
    source.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(inputs)))
    config = {
        "connectors": [{"class": "JSONConnector", "name": "texts", "pipeline": "texts", "jsonPath": str(source)}],
        "pipelines": [{"name": "texts", "stages": [{"class": "LocalEmbed", "source": "text", "dest": "vector", "model": folder, "dtype": kind}]}],
        "indexer": {"type": "JSONLines"},
        "jsonl": {"path": str(target)},
    }
    (scratch / "run.conf").write_text(json.dumps(config))
    subprocess.run(["headrace", "run", scratch / "run.conf"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = {row["id"]: row["vector"] for row in map(json.loads, target.open())}
    return numpy.array([found[str(i)] for i in range(len(inputs))])


folder, kind = sys.argv[1], (sys.argv[2:] or ["fp32"])[0]
inputs = texts()
model = SentenceTransformer(folder, device="cpu")
with tempfile.TemporaryDirectory() as scratch:
    ours = vectors_of_headrace(inputs, folder, kind, pathlib.Path(scratch))
theirs = model.encode(inputs, normalize_embeddings=True)
cut = sum(len(model.tokenizer(text)["input_ids"]) > model.max_seq_length for text in inputs)
cosines = (ours * theirs).sum(axis=1) / numpy.linalg.norm(ours, axis=1)
print(f"{len(inputs)} texts, {cut} longer than {model.max_seq_length} tokens")
print(f"largest difference of a number: {numpy.abs(ours - theirs).max():.1e}; least cosine: {cosines.min():.4f}")
