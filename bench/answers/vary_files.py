"""Copies of the files of examples/answers in which each text differs from the other copies.

python bench/answers/vary_files.py examples/answers/files FOLDER COPIES
"""

import re
import sys
import zipfile
import zlib
from pathlib import Path

TEXTS = {".docx": rb"<w:t(?: [^>]*)?>", ".pptx": rb"<a:t>", ".xlsx": rb"<t(?: [^>]*)?>", ".html": rb">"}


def vary_markup(data, copy, start):
    return re.sub(start + rb"([^<]{12,})<", lambda found: found.group(0)[:-1] + b" No. %d.<" % copy, data)


def vary_office(source, target, copy):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            data = old.read(entry)
            new.writestr(entry.filename, vary_markup(data, copy, TEXTS[source.suffix]) if entry.filename.endswith(".xml") else data)


def vary_pdf(data, copy):
    def vary_stream(found):
        text = zlib.decompress(found.group(2))
        packed = zlib.compress(re.sub(rb"(\([^()]{10,})\) Tj", rb"\1 No. %d) Tj" % copy, text))
        return re.sub(rb"/Length \d+", b"/Length %d" % len(packed), found.group(1)) + b"stream\n" + packed + b"\nendstream"

    data = re.sub(rb"(/Filter /FlateDecode\s*/Length \d+\s*>>\s*)stream\n(.*?)\nendstream", vary_stream, data, flags=re.S)
    # The objects have moved, so the table of their positions is written again.
    objects = {int(found.group(1)): found.start() for found in re.finditer(rb"^(\d+) 0 obj", data, re.M)}
    table = data.rindex(b"\nxref") + 1
    rows = b"".join(b"%010d 00000 n \n" % objects[number] for number in sorted(objects))
    trailer = data[data.index(b"trailer", table) : data.rindex(b"startxref")]
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return data[:table] + head + rows + trailer + b"startxref\n%d\n%%%%EOF\n" % table


folder, output = Path(sys.argv[1]), Path(sys.argv[2])
output.mkdir(parents=True, exist_ok=True)
for copy in range(int(sys.argv[3])):
    for file in folder.iterdir():
        target = output / f"{copy}-{file.name}"
        if file.suffix == ".pdf":
            target.write_bytes(vary_pdf(file.read_bytes(), copy))
        elif file.suffix == ".html":
            target.write_bytes(vary_markup(file.read_bytes(), copy, TEXTS[".html"]))
        else:
            vary_office(file, target, copy)
