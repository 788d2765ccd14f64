"""Writes the model in token-model, and the names that the pipeline of transformers finds with it.

pip install transformers tokenizers onnxruntime onnx
python make-token-model.py

The logits of a token depend on the token, the one before and the one after, with random weights. ONNX Runtime computes
them. The pipeline groups them into names; it runs without PyTorch, because only its functions for results are called.
"""

import json
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast
from transformers.pipelines.token_classification import AggregationStrategy, TokenClassificationPipeline

FOLDER = Path(__file__).parent / "token-model"
LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]
WORDS = ["Anna", "Smith", "Berlin", "Harbour", "Cycles", "met", "in", "the", "of", "München", "O'Neil", "U.S.", "3", "2020"]
WORDS += ["naïve", "e\u0301t\u00e9", "東京", "Łódź", "👩‍👩‍👧", "☃", "5€", "x" * 120, "(said)", "Hafen-Räder", "\u00a0", "  ", "\n"]
random.seed(3)
weights = np.random.default_rng(5)

pieces = sorted({c for w in WORDS for c in w if c not in "☃👩\u200d👧\u00a0\n 東"})
vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *(f"##{p}" for p in pieces if p.isalnum())]
vocabulary += ["Anna", "Ber", "##lin", "Smi", "##th", "Har", "##bour", "the", "of", "##chen", "##€"]
tokenizer = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))

ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
mask = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"])
logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", len(LABELS)])
tables = [weights.normal(0, 1.5, (len(vocabulary), len(LABELS))).astype(np.float32) for _ in range(3)]
constants = [numpy_helper.from_array(t, f"table{i}") for i, t in enumerate(tables)]
constants += [numpy_helper.from_array(np.array(v, dtype=np.int64), n) for n, v in
              {"one": [1], "minus": [-1], "zero": [0], "end": [2**31], "axis": [1], "left": [0, 1, 0, 0, 0, 0], "right": [0, 0, 0, 0, 1, 0]}.items()]
node = helper.make_node
graph = helper.make_graph([
    node("Gather", ["table0", "input_ids"], ["own"]),
    node("Gather", ["table1", "input_ids"], ["b"]), node("Slice", ["b", "zero", "minus", "axis"], ["b1"]), node("Pad", ["b1", "left"], ["before"]),
    node("Gather", ["table2", "input_ids"], ["a"]), node("Slice", ["a", "one", "end", "axis"], ["a1"]), node("Pad", ["a1", "right"], ["after"]),
    node("Sum", ["own", "before", "after"], ["logits"]),
], "tokens", [ids, mask], [logits], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8

FOLDER.mkdir(exist_ok=True)
onnx.save(model, str(FOLDER / "model.onnx"))
tokenizer.save(str(FOLDER / "tokenizer.json"), pretty=False)
config = {"model_type": "bert", "max_position_embeddings": 512, "id2label": {str(i): l for i, l in enumerate(LABELS)}}
(FOLDER / "config.json").write_text(json.dumps(config, indent=2) + "\n")

session = onnxruntime.InferenceSession(str(FOLDER / "model.onnx"))
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]")
pipeline = object.__new__(TokenClassificationPipeline)
pipeline.tokenizer = fast
pipeline.model = SimpleNamespace(config=SimpleNamespace(id2label=dict(enumerate(LABELS))))


def names_of(text, strategy):
    encoded = fast(text, return_special_tokens_mask=True, return_offsets_mapping=True)
    feeds = {k: np.array([encoded[k]], dtype=np.int64) for k in ("input_ids", "attention_mask")}
    values = session.run(["logits"], feeds)[0][0]
    scores = np.exp(values - values.max(-1, keepdims=True))
    scores /= scores.sum(-1, keepdims=True)
    strategy = AggregationStrategy[strategy.upper()]
    before = pipeline.gather_pre_entities(text, np.array(encoded["input_ids"]), scores, [tuple(map(np.int64, o)) for o in encoded["offset_mapping"]],
                                          np.array(encoded["special_tokens_mask"]), strategy)
    # Positions in UTF-16, as in JavaScript.
    at = lambda i: len(text[:i].encode("utf-16-le")) // 2
    return [[g["entity_group"], at(g["start"]), at(g["end"]), round(float(g["score"]), 5)]
            for g in pipeline.aggregate(before, strategy) if g["entity_group"] != "O"]


with open(Path(__file__).parent / "expected-names.jsonl", "w") as lines:
    for _ in range(24):
        text = "".join(random.choice(WORDS) + random.choice([" ", " ", " ", ", ", ""]) for _ in range(random.randint(1, 14)))
        names = {s: names_of(text, s) for s in ("first", "average", "max", "simple")}
        lines.write(json.dumps({"text": text, "names": names}, ensure_ascii=False) + "\n")
