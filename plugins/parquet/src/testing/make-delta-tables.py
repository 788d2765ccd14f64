"""Writes the Delta tables of the tests: python make-delta-tables.py. Needs deltalake and pyarrow.

The library deltalake writes the tables. It cannot write deletion vectors, column mapping, and checkpoints with several
files, so this script adds them to the log as PROTOCOL.md of Delta Lake says. For each table, expected.json has the rows
that deltalake reads, in the order of their ids.
"""

import base64
import datetime as dt
import decimal as d
import json
import os
import shutil
import struct
import uuid
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, WriterProperties, write_deltalake

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "delta")
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
os.chdir(FOLDER)


def rows(table, version=None):
    """The rows that deltalake reads."""
    query = QueryBuilder().register("t", DeltaTable(table, version=version))
    return pa.table(query.execute("select * from t order by id").read_all()).to_pylist()


def text(value):
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, (dt.date, dt.datetime)) else str(value)


def expect(table, versions=(None,)):
    found = {str(version if version is not None else "newest"): rows(table, version) for version in versions}
    with open(f"{table}/expected.json", "w") as file:
        json.dump(found, file, default=text, indent=1)


def log(table, version):
    return f"{table}/_delta_log/{version:020}.json"


def actions(table, version):
    with open(log(table, version)) as file:
        return [json.loads(line) for line in file]


def commit(table, version, lines):
    with open(log(table, version), "w") as file:
        file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def no_stats(table):
    """Statistics are large and not read."""
    for name in os.listdir(f"{table}/_delta_log"):
        if name[20:] == ".json":
            version = int(name[:20])
            lines = actions(table, version)
            for line in lines:
                line.get("add", {}).pop("stats", None)
            commit(table, version, lines)


# An update and a delete. The files of the old versions stay.
write_deltalake("updated", pa.table({"id": ["d1", "d2", "d3"], "price": [10, 20, 30]}))
DeltaTable("updated").update(updates={"price": "99"}, predicate="id = 'd1'")
DeltaTable("updated").delete("id = 'd2'")
for version in range(3):
    lines = actions("updated", version)
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["timestamp"] = int(dt.datetime(2026, 1, 1 + version, tzinfo=dt.timezone.utc).timestamp() * 1000)
    commit("updated", version, lines)
expect("updated", (None, 0, 1))

# Partitions of several types, a column that was added later, and a checkpoint, before which nothing is left.
UTC = dt.timezone.utc
parts = pa.schema([("id", pa.string()), ("country", pa.string()), ("day", pa.date32()), ("n", pa.int64()),
                   ("at", pa.timestamp("us", "UTC")), ("price", pa.decimal128(9, 2)), ("ok", pa.bool_()), ("v", pa.int64())])
data = [
    dict(id="a1", country="DE", day=dt.date(2026, 1, 1), n=1, at=dt.datetime(2026, 1, 1, 10, 0, 0, 5, UTC), price=d.Decimal("1.50"), ok=True, v=1),
    dict(id="a2", country="a/b c%:ü", day=dt.date(2026, 1, 2), n=-2, at=dt.datetime(2026, 1, 2, tzinfo=UTC), price=d.Decimal("0.05"), ok=False, v=2),
    dict(id="a3", country=None, day=None, n=None, at=None, price=None, ok=None, v=3),
]
keys = ["country", "day", "n", "at", "price", "ok"]
write_deltalake("partitioned", pa.Table.from_pylist(data, parts), partition_by=keys)
more = parts.append(pa.field("added", pa.struct([("x", pa.int32()), ("y", pa.string())])))
data2 = [dict(data[0], id="a4", added={"x": 1, "y": "z"})]
write_deltalake("partitioned", pa.Table.from_pylist(data2, more), mode="append", schema_mode="merge")
DeltaTable("partitioned").create_checkpoint()
DeltaTable("partitioned").delete("id = 'a1'")
os.remove(log("partitioned", 0))
no_stats("partitioned")
expect("partitioned")

# Deletion vectors: in the log, and in a file. PROTOCOL.md, "Deletion Vectors".
ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
TO_Z85 = str.maketrans("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", ALPHABET)


def z85(data):
    return base64.b85encode(data).decode().translate(TO_Z85)


def bitmap(numbers, form):
    """A Roaring bitmap with one container, in one of its three forms."""
    numbers = sorted(numbers)
    if form == "runs":
        runs = []
        for number in numbers:
            if runs and number == runs[-1][0] + runs[-1][1] + 1:
                runs[-1][1] += 1
            else:
                runs.append([number, 0])
        body = struct.pack("<H", len(runs)) + b"".join(struct.pack("<HH", *run) for run in runs)
        head = struct.pack("<I", 12347) + b"\x01"
        return head + struct.pack("<HH", 0, len(numbers) - 1) + body
    if form == "bits":
        bits = bytearray(8192)
        for number in numbers:
            bits[number >> 3] |= 1 << (number & 7)
        body = bytes(bits)
    else:
        body = b"".join(struct.pack("<H", number) for number in numbers)
    return struct.pack("<II", 12346, 1) + struct.pack("<HH", 0, len(numbers) - 1) + struct.pack("<I", 16) + body


def vector(numbers, form):
    return struct.pack("<IQI", 1681511377, 1, 0) + bitmap(numbers, form)


def add_vector(table, version, file, stored, place, size, count):
    """Commits a deletion vector for the file of an earlier add, instead of the vector before it."""
    before = next(line["add"] for line in actions(table, version - 1) if "add" in line)
    add = {key: value for key, value in file.items() if key != "stats"}
    remove = {"path": file["path"], "deletionTimestamp": 0, "dataChange": True}
    if "deletionVector" in before:
        remove["deletionVector"] = before["deletionVector"]
    dv = {"storageType": stored, "pathOrInlineDv": place, "sizeInBytes": size, "cardinality": count}
    if stored != "i":
        dv["offset"] = 1
    records = {"numRecords": ROWS}
    commit(table, version, [{"add": dict(add, dataChange=True, deletionVector=dv, stats=json.dumps(records))}, {"remove": remove}])


ROWS = 10000
write_deltalake("vectors", pa.table({"id": pa.array(range(ROWS), pa.int32())}), writer_properties=WriterProperties(compression="ZSTD"))
first = actions("vectors", 0)
file = next(line["add"] for line in first if "add" in line)
for line in first:
    if "protocol" in line:
        line["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
commit("vectors", 0, first)
inline = vector([0, 5, 9999], "list")
add_vector("vectors", 1, file, "i", z85(inline + b"\0" * (-len(inline) % 4)), len(inline), 3)


def stored_vector(version, numbers, form, prefix=""):
    stored = vector(numbers, form)
    name = uuid.uuid5(uuid.NAMESPACE_URL, form)
    os.makedirs(f"vectors/{prefix}", exist_ok=True)
    with open(os.path.join("vectors", prefix, f"deletion_vector_{name}.bin"), "wb") as out:
        out.write(b"\x01" + struct.pack(">I", len(stored)) + stored + struct.pack(">I", zlib.crc32(stored)))
    add_vector("vectors", version, file, "u", prefix + z85(name.bytes), len(stored), len(numbers))


stored_vector(2, set(range(9000)) | {9500}, "runs")
stored_vector(3, set(range(0, 10000, 2)) | {1}, "bits", "ab")
for version in range(4):
    found = [row["id"] for row in rows("vectors", version)]
    with open(f"vectors/expected-{version}.json", "w") as out:
        json.dump({"count": len(found), "sum": sum(found), "first": found[:3], "last": found[-3:]}, out)

# Renamed and dropped columns, with the names and with the ids of column mapping.
def mapped(mode):
    table = f"mapped-{mode}"
    os.makedirs(f"{table}/_delta_log")
    ids = iter(range(1, 20))

    def field(name, type, physical):
        return {"name": name, "type": type, "nullable": True,
                "metadata": {"delta.columnMapping.id": next(ids), "delta.columnMapping.physicalName": physical}}

    inner = [field("new x", "integer", "col-x"), field("y", "string", "col-y"), field("added", "string", "col-z")]
    fields = [field("id", "string", "col-1"), field("renamed", "long", "name"), field("name", "string", "col-3"),
              field("part", "date", "col-4"), field("st", {"type": "struct", "fields": inner}, "col-5"),
              field("list", {"type": "array", "elementType": {"type": "struct", "fields": [field("a b", "long", "col-a")]}, "containsNull": True}, "col-6"),
              field("later", "double", "col-7")]
    by_name = {f["name"]: f["metadata"]["delta.columnMapping.id"] for f in fields + inner + fields[5]["type"]["elementType"]["fields"]}

    def arrow(name, type, column):
        return pa.field(name, type, metadata={"PARQUET:field_id": str(by_name.get(column, 99))})

    def names(physical):
        """With ids, the names in the file have no meaning."""
        return physical if mode == "name" else "x-" + physical

    schema = pa.schema([
        arrow(names("col-dropped"), pa.string(), "dropped"),
        arrow(names("col-1"), pa.string(), "id"), arrow(names("name"), pa.int64(), "renamed"),
        arrow(names("col-3"), pa.string(), "name"),
        arrow(names("col-5"), pa.struct([arrow(names("col-gone"), pa.string(), "gone"), arrow(names("col-y"), pa.string(), "y"), arrow(names("col-x"), pa.int32(), "new x")]), "st"),
        arrow(names("col-6"), pa.list_(pa.field("element", pa.struct([arrow(names("col-a"), pa.int64(), "a b")]))), "list"),
    ])
    n = names
    values = [{n("col-dropped"): "no", n("col-1"): "m1", n("name"): 7, n("col-3"): "seven", n("col-5"): {n("col-gone"): "no", n("col-y"): "why", n("col-x"): 1}, n("col-6"): [{n("col-a"): 5}, None]},
              {n("col-1"): "m2", n("col-5"): None, n("col-6"): []}]
    pq.write_table(pa.Table.from_pylist(values, schema), f"{table}/data.parquet", store_schema=False)
    commit(table, 0, [
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {"metaData": {"id": "00000000-0000-0000-0000-000000000001", "format": {"provider": "parquet", "options": {}},
                      "schemaString": json.dumps({"type": "struct", "fields": fields}), "partitionColumns": ["part"],
                      "configuration": {"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "19"}, "createdTime": 0}},
        {"add": {"path": "data.parquet", "partitionValues": {"col-4": "2026-01-31"}, "size": os.path.getsize(f"{table}/data.parquet"),
                 "modificationTime": 0, "dataChange": True}},
    ])


mapped("name")
expect("mapped-name")
# The library deltalake 1.6 does not find columns by their ids: all its values are null.
mapped("id")

# Checkpoints with several files, and with sidecars. PROTOCOL.md, "Checkpoints".
ADD = pa.struct([("path", pa.string()), ("partitionValues", pa.map_(pa.string(), pa.string())), ("size", pa.int64()), ("modificationTime", pa.int64()), ("dataChange", pa.bool_())])
META = pa.struct([("id", pa.string()), ("format", pa.struct([("provider", pa.string()), ("options", pa.map_(pa.string(), pa.string()))])), ("schemaString", pa.string()),
                  ("partitionColumns", pa.list_(pa.string())), ("configuration", pa.map_(pa.string(), pa.string())), ("createdTime", pa.int64())])
PROTOCOL = pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32()), ("readerFeatures", pa.list_(pa.string())), ("writerFeatures", pa.list_(pa.string()))])
SIDECAR = pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64()), ("modificationTime", pa.int64()), ("tags", pa.map_(pa.string(), pa.string()))])
TOP = pa.struct([("version", pa.int64()), ("tags", pa.map_(pa.string(), pa.string()))])


def checkpoint(path, lines):
    schema = pa.schema([("add", ADD), ("metaData", META), ("protocol", PROTOCOL), ("sidecar", SIDECAR), ("checkpointMetadata", TOP)])
    for line in lines:
        for action in line.values():
            for key in ("partitionValues", "configuration", "options", "tags"):
                if isinstance(action.get(key), dict):
                    action[key] = list(action[key].items())
        if "metaData" in line:
            line["metaData"]["format"]["options"] = []
    pq.write_table(pa.Table.from_pylist(lines, schema), path, store_schema=False)


for table in ("parts", "sidecars", "sidecars-json"):
    write_deltalake(table, pa.table({"id": ["p1"]}))
    write_deltalake(table, pa.table({"id": ["p2"]}), mode="append")
    DeltaTable(table).delete("id = 'p1'")
    lines = actions(table, 0)
    protocol = next(line for line in lines if "protocol" in line)
    if table != "parts":
        feature = ["v2Checkpoint"]
        protocol["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": feature, "writerFeatures": feature}
    meta = next(line for line in lines if "metaData" in line)
    adds = [line for line in actions(table, 1) if "add" in line]
    old = [line for line in lines if "add" in line]
    for line in adds + old:
        line["add"].pop("stats", None)
    folder = f"{table}/_delta_log"
    name = f"{1:020}.checkpoint"
    if table == "parts":
        checkpoint(f"{folder}/{name}.{1:010}.{2:010}.parquet", [protocol, meta, *old])
        checkpoint(f"{folder}/{name}.{2:010}.{2:010}.parquet", adds)
    else:
        os.makedirs(f"{folder}/_sidecars")
        side = f"{uuid.uuid5(uuid.NAMESPACE_URL, table)}.parquet"
        checkpoint(f"{folder}/_sidecars/{side}", old + adds)
        size = os.path.getsize(f"{folder}/_sidecars/{side}")
        top = [{"checkpointMetadata": {"version": 1}}, protocol, meta, {"sidecar": {"path": side, "sizeInBytes": size, "modificationTime": 0}}]
        stem = f"{folder}/{name}.{uuid.uuid5(uuid.NAMESPACE_URL, 'top')}"
        if table == "sidecars-json":
            with open(f"{stem}.json", "w") as out:
                out.writelines(json.dumps(line) + "\n" for line in top)
        else:
            checkpoint(f"{stem}.parquet", top)
    os.remove(log(table, 0))
    os.remove(log(table, 1))
    no_stats(table)
    expect(table)
