"""Compares the documents of ParquetConnector with the values of pyarrow, value by value.

pip install pyarrow
python plugins/parquet/bench/beside_pyarrow.py FOLDER

FOLDER has .parquet files, such as those of github.com/apache/parquet-testing. The plugin must be built. The id of a
document is the first column without nulls that has a scalar type.
"""

import base64
import datetime
import decimal
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}


def clock(text, unit):
    hour, minute, second, rest = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?", text).groups()
    seconds = int(hour) * 3600 + int(minute) * 60 + int(second)
    return seconds * PER_SECOND[unit] + int((rest or "").ljust(9, "0")) * PER_SECOND[unit] // 1_000_000_000


def days(text):
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def same_number(found, value, kind):
    if isinstance(found, str):
        found = float(found.replace("Infinity", "inf"))
    if math.isnan(value):
        return found is None or math.isnan(found)
    if kind == pa.float32():
        return struct.pack("f", found) == struct.pack("f", value)
    return float(found) == value


def same(found, scalar):
    """Whether a JSON value is the one of pyarrow."""
    kind = scalar.type
    if isinstance(kind, pa.JsonType) and scalar.is_valid:
        return found == json.loads(scalar.as_py())
    if isinstance(scalar, pa.ExtensionScalar):
        return found == str(scalar.as_py()) or same(found, scalar.value)
    if pa.types.is_dictionary(kind):
        return same(found, scalar.value)
    if not scalar.is_valid:
        return found is None
    if pa.types.is_map(kind):
        pairs = [(str(pair["key"].as_py()), pair["value"]) for pair in scalar.values]
        return isinstance(found, dict) and [key for key, _ in pairs] == list(found) and all(
            same(found[key], value) for key, value in pairs
        )
    if pa.types.is_nested(kind) and pa.types.is_struct(kind):
        return isinstance(found, dict) and all(same(found.get(field.name), scalar[field.name]) for field in kind)
    if pa.types.is_nested(kind):
        values = list(scalar.values)
        return isinstance(found, list) and len(found) == len(values) and all(map(same, found, values))
    if pa.types.is_timestamp(kind):
        date, time = found.rstrip("Z").split("T")
        return days(date) * 86400 * PER_SECOND[kind.unit] + clock(time, kind.unit) == scalar.value
    if pa.types.is_date(kind):
        return found == scalar.as_py().isoformat()
    if pa.types.is_time(kind):
        return clock(found, kind.unit) == scalar.value
    value = scalar.as_py()
    if pa.types.is_decimal(kind):
        return decimal.Decimal(str(found)) == value
    if pa.types.is_floating(kind):
        return same_number(found, value, kind)
    if isinstance(value, bytes) and isinstance(found, dict):
        # pyarrow has no type for intervals of months, days and milliseconds, and returns their bytes.
        return struct.pack("<3I", *found.values()) == value
    if isinstance(value, bytes):
        return base64.b64decode(found) == value
    return type(found) is type(value) and found == value


def same_field(found, scalar):
    """A field with one value is the same as a list with one value, and one without a value is missing."""
    if found is None:
        return not scalar.is_valid or (pa.types.is_list(scalar.type) and len(scalar.values) == 0)
    return same(found, scalar) or same([found], scalar)


def compare(table, id_column, documents):
    if len(documents) != table.num_rows:
        return f"{len(documents)} documents, {table.num_rows} rows"
    for name in table.column_names:
        if name == id_column:
            continue
        for row, scalar in enumerate(table.column(name)):
            try:
                equal = same_field(documents[row].get(name), scalar)
            except Exception as error:
                equal = f"{error!r}"
            if equal is not True:
                return f"column {name}, row {row}: {str(documents[row].get(name))[:80]}, pyarrow {str(scalar)[:80]}"
    return None


def main(folder):
    tables, without, unreadable = {}, [], []
    for path in sorted(pathlib.Path(folder).rglob("*.parquet")):
        try:
            table = pq.ParquetFile(path).read()
            list(map(str, (table.column(i)[:1] for i in range(table.num_columns))))
        except Exception as error:
            unreadable.append((path, str(error)[:100]))
            continue
        columns = [
            field.name
            for field in table.schema
            if not pa.types.is_nested(field.type) and table.column(field.name).null_count == 0
        ]
        if not columns or table.num_rows == 0:
            without.append(path)
        else:
            tables[str(path)] = (columns[0], table)
    with tempfile.TemporaryDirectory() as work:
        files, out = pathlib.Path(work, "list"), pathlib.Path(work, "out")
        files.write_text("".join(f"{path}\t{column}\n" for path, (column, _) in tables.items()))
        script = pathlib.Path(__file__).with_name("read-files.mjs")
        subprocess.run(["node", script, files, out], check=True)
        lines = out.read_text().split("\n")[:-1]
    equal = 0
    for head, body in zip(lines[::2], lines[1::2]):
        head = json.loads(head)
        column, table = tables[head["path"]]
        difference = compare(table, column, json.loads(body))
        equal += difference is None
        if difference is not None:
            print(f"{head['path']}: {difference} {head['problem'] or ''}")
    print(f"{len(tables)} files compared, {equal} equal")
    print(f"without rows or a column for ids: {[path.name for path in without]}")
    print(f"pyarrow {pa.__version__} cannot read: {[(path.name, why) for path, why in unreadable]}")


if __name__ == "__main__":
    main(sys.argv[1])
