"""The example answers without a model, with LlamaIndex: files -> text -> chunks -> JSON lines.

pip install llama-index-core llama-index-readers-file docx2txt python-pptx openpyxl pandas
python bench/answers/passages.py FOLDER OUT
"""

import json
import sys

from llama_index.core import SimpleDirectoryReader
from llama_index.core.node_parser import SentenceSplitter

folder, out = sys.argv[1:]
documents = SimpleDirectoryReader(folder, recursive=True).load_data()
nodes = SentenceSplitter(chunk_size=128, chunk_overlap=0).get_nodes_from_documents(documents)
with open(out, "w") as lines:
    for node in nodes:
        lines.write(json.dumps({"id": node.node_id, "text": node.text, **node.metadata}) + "\n")
print(f"{len(documents)} documents, {len(nodes)} chunks")
