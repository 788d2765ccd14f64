"""Writes the Iceberg tables of the tests: python make-iceberg-tables.py. Needs
pyiceberg with SQLite and pyiceberg-core, pyarrow, fastavro, cramjam, backports.zstd.

The library pyiceberg writes the tables to /lake, which is the location in their metadata. It cannot write deletes by
position or value, and no deletion vectors, so this script adds them as the specification of Iceberg says.
expected.json has the rows that pyiceberg reads, in the order of their ids. It does not read deletes by value, and no
deletion vectors: expected.json has no rows for these tables.
"""

import datetime as dt
import decimal as d
import glob
import json
import os
import shutil
import struct
import uuid
import zlib

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import StaticTable
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import (DateType, DecimalType, IntegerType, ListType, LongType, MapType, NestedField, StringType,
                             StructType, TimestamptzType)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "iceberg")
LAKE = "/lake"
shutil.rmtree(FOLDER, ignore_errors=True)
shutil.rmtree(LAKE, ignore_errors=True)
os.makedirs(LAKE)
catalog = SqlCatalog("c", uri="sqlite:///:memory:", warehouse=f"file://{LAKE}")
catalog.create_namespace("n")
UTC = dt.timezone.utc


def text(value):
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, (dt.date, dt.datetime)) else str(value)


def rows(table, snapshot=None):
    return sorted(table.scan(snapshot_id=snapshot).to_arrow().to_pylist(), key=lambda row: row["id"])


def create(name, schema, spec=PartitionSpec(), **properties):
    return catalog.create_table(f"n.{name}", schema, location=f"file://{LAKE}/{name}", partition_spec=spec, properties=properties)


def newest(name):
    return max(glob.glob(f"{LAKE}/{name}/metadata/*.metadata.json"))


def finish(name, expected):
    """Copies the table with its expected rows, and with its last two metadata files."""
    for old in sorted(glob.glob(f"{LAKE}/{name}/metadata/*.metadata.json"))[:-2]:
        os.remove(old)
    shutil.copytree(f"{LAKE}/{name}", f"{FOLDER}/{name}")
    with open(f"{FOLDER}/{name}/expected.json", "w") as out:
        json.dump(expected, out, default=text, indent=1)


# Partitions, and columns that were renamed, moved, dropped and added. One of them has the name of a dropped column.
point = StructType(NestedField(10, "x", IntegerType()), NestedField(11, "y", StringType()))
schema = Schema(
    NestedField(1, "id", StringType(), required=True), NestedField(2, "n", LongType()), NestedField(3, "day", DateType()),
    NestedField(4, "country", StringType()), NestedField(5, "at", TimestamptzType()), NestedField(6, "price", DecimalType(9, 2)),
    NestedField(7, "point", point), NestedField(8, "tags", ListType(20, StringType(), False)),
    NestedField(9, "map", MapType(21, StringType(), 22, LongType(), False)))
spec = PartitionSpec(
    PartitionField(3, 1000, IdentityTransform(), "day"), PartitionField(4, 1001, IdentityTransform(), "land"),
    PartitionField(6, 1002, IdentityTransform(), "price"), PartitionField(5, 1003, DayTransform(), "at_day"),
    PartitionField(1, 1004, BucketTransform(4), "id_bucket"))
for version in ("1", "2"):
    name = f"evolved-{version}"
    table = create(name, schema, spec, **{"format-version": version})
    arrow = table.schema().as_arrow()
    first = [
        dict(id="a1", n=1, day=dt.date(2026, 1, 1), country="DE", at=dt.datetime(2026, 1, 1, 10, 0, 0, 5, UTC), price=d.Decimal("1.50"), point={"x": 1, "y": "one"}, tags=["t", None], map=[("k", 5)]),
        dict(id="a2", n=None, day=dt.date(1969, 12, 31), country="a/b c%:ü", at=None, price=d.Decimal("-0.05"), point=None, tags=[], map=[]),
        dict(id="a3", day=None, country=None),
    ]
    table.append(pa.Table.from_pylist(first, arrow))
    with table.update_schema() as update:
        update.rename_column("n", "count")
        update.delete_column("tags")
        update.rename_column("point.y", "z")
        update.add_column(("point", "added"), StringType())
        update.move_first("country")
    with table.update_schema() as update:
        update.add_column("tags", LongType())
        update.add_column("n", StringType())
    second = [dict(id="a4", count=4, country="FR", tags=44, n="new", point={"x": 4, "z": "four", "added": "yes"})]
    table.append(pa.Table.from_pylist(second, table.schema().as_arrow()))
    table.delete(EqualTo("id", "a3"))
    snapshots = [snapshot.snapshot_id for snapshot in table.snapshots()]
    finish(name, {"newest": rows(table), "snapshots": [{"id": str(one), "rows": rows(table, one)} for one in snapshots],
                  "times": [snapshot.timestamp_ms for snapshot in table.snapshots()]})

# Files without ids, which a name mapping reads.
table = create("mapped", Schema(NestedField(1, "id", StringType()), NestedField(2, "v", LongType())))
pq.write_table(pa.table({"v": [1, 2], "id": ["m1", "m2"]}), f"{LAKE}/mapped/loose.parquet", store_schema=False)
table.add_files([f"file://{LAKE}/mapped/loose.parquet"])
with table.update_schema() as update:
    update.rename_column("v", "renamed")
finish("mapped", {"newest": rows(table)})


def avro(path):
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        return reader.writer_schema, dict(reader.metadata), list(reader)


def write_avro(path, schema, metadata, records, codec):
    header = {key: value for key, value in metadata.items() if not key.startswith("avro.")}
    with open(path, "wb") as file:
        fastavro.writer(file, schema, records, codec=codec, metadata=header)


def without_stats(record):
    for name in ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds", "split_offsets"):
        record["data_file"][name] = None
    return record


MORE = [{"name": "referenced_data_file", "type": ["null", "string"], "default": None, "field-id": 143},
        {"name": "content_offset", "type": ["null", "long"], "default": None, "field-id": 144},
        {"name": "content_size_in_bytes", "type": ["null", "long"], "default": None, "field-id": 145}]


def add_snapshot(name, files, codec, version=2):
    """Adds a snapshot with files of deletes to a table, and returns its id."""
    with open(newest(name)) as file:
        metadata = json.load(file)
    last = metadata["snapshots"][-1]
    local = last["manifest-list"].removeprefix("file://")
    list_schema, list_metadata, manifests = avro(local)
    manifest_schema, manifest_metadata, entries = avro(manifests[0]["manifest_path"].removeprefix("file://"))
    for field in manifest_schema["fields"]:
        if field["name"] == "data_file":
            field["type"]["fields"] = field["type"]["fields"] + MORE
    sequence = last["sequence-number"] + 1
    snapshot = last["snapshot-id"] + 1
    records = []
    for file in files:
        record = json.loads(json.dumps({"status": 1, "snapshot_id": snapshot, "sequence_number": None, "file_sequence_number": None, "data_file": {}}))
        record["data_file"] = dict(without_stats(dict(entries[0]))["data_file"], **file)
        records.append(record)
    folder = f"{LAKE}/{name}/metadata"
    path = f"{folder}/deletes-{snapshot}.avro"
    write_avro(path, manifest_schema, dict(manifest_metadata, content="deletes"), records, codec)
    manifests.append(dict(manifests[0], manifest_path=f"file://{path}", manifest_length=os.path.getsize(path), content=1,
                          sequence_number=sequence, min_sequence_number=sequence, added_snapshot_id=snapshot,
                          partition_spec_id=files[0].get("spec", manifests[0]["partition_spec_id"])))
    write_avro(f"{folder}/snap-{snapshot}.avro", list_schema, list_metadata, manifests, codec)
    metadata["snapshots"].append(dict(last, **{"snapshot-id": snapshot, "parent-snapshot-id": last["snapshot-id"], "sequence-number": sequence,
                                               "timestamp-ms": last["timestamp-ms"] + 1000, "manifest-list": f"file://{folder}/snap-{snapshot}.avro"}))
    metadata["current-snapshot-id"] = snapshot
    metadata["refs"]["main"]["snapshot-id"] = snapshot
    metadata["last-sequence-number"] = sequence
    metadata["format-version"] = version
    metadata["snapshot-log"].append({"snapshot-id": snapshot, "timestamp-ms": last["timestamp-ms"] + 1000})
    number = int(os.path.basename(newest(name))[:5]) + 1
    with open(f"{folder}/{number:05}-{uuid.uuid5(uuid.NAMESPACE_URL, str(number))}.metadata.json", "w") as out:
        json.dump(metadata, out)
    return str(snapshot)


def data_files(name):
    """The data files of the newest snapshot, by their first id."""
    with open(newest(name)) as file:
        last = json.load(file)["snapshots"][-1]
    found = {}
    for manifest in avro(last["manifest-list"].removeprefix("file://"))[2]:
        if manifest["content"] == 0:
            for entry in avro(manifest["manifest_path"].removeprefix("file://"))[2]:
                path = entry["data_file"]["file_path"]
                found[pq.read_table(path.removeprefix("file://"))["id"][0].as_py()] = path
    return found


def parquet(name, file, columns, ids):
    path = f"{LAKE}/{name}/data/{file}"
    fields = [pa.field(column, values.type, metadata={"PARQUET:field_id": str(ids[column])}) for column, values in columns.items()]
    pq.write_table(pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields)), path, store_schema=False)
    return {"file_path": f"file://{path}", "file_format": "PARQUET", "record_count": len(next(iter(columns.values()))), "file_size_in_bytes": os.path.getsize(path)}


simple = Schema(NestedField(1, "id", LongType()), NestedField(2, "name", StringType()), NestedField(3, "size", LongType()))


def numbers(first, last):
    return pa.table({"id": pa.array(range(first, last), pa.int64()), "name": [f"n{i}" for i in range(first, last)], "size": pa.array([i if i % 2 else None for i in range(first, last)], pa.int64())})


# Deletes by position.
POSITION_IDS = {"file_path": 2147483546, "pos": 2147483545}
table = create("positions", simple)
table.append(numbers(0, 10))
table.append(numbers(10, 20))
files = data_files("positions")
delete = parquet("positions", "positions.parquet", {"file_path": pa.array([files[0]] * 2 + [files[10]] * 2), "pos": pa.array([0, 3, 8, 9], pa.int64())}, POSITION_IDS)
add_snapshot("positions", [dict(delete, content=1)], "zstandard")
static = StaticTable.from_metadata(newest("positions"))
finish("positions", {"newest": rows(static)})

# Deletes by value: of two columns, also null, and of a column that is no longer in the table. They concern older files.
table = create("values", simple)
table.append(numbers(0, 10))
delete = parquet("values", "two.parquet", {"name": pa.array(["n1", "n4", "n5", None]), "size": pa.array([1, None, 99, None], pa.int64())}, {"name": 2, "size": 3})
add_snapshot("values", [dict(delete, content=2, equality_ids=[2, 3])], "snappy")
delete = parquet("values", "one.parquet", {"size": pa.array([7], pa.int64())}, {"size": 3})
add_snapshot("values", [dict(delete, content=2, equality_ids=[3])], "null")
with open(newest("values")) as file:
    metadata = json.load(file)
metadata["schemas"].append({"type": "struct", "schema-id": 1, "fields": [dict(field, name="renamed" if field["id"] == 2 else field["name"]) for field in metadata["schemas"][0]["fields"][:2]]})
metadata["current-schema-id"] = 1
# The number and the id of the table are in the name of the last file.
number = int(os.path.basename(newest("values"))[:5]) + 1
with open(f"{LAKE}/values/metadata/{number:05}-{uuid.uuid5(uuid.NAMESPACE_URL, 'values')}.metadata.json", "w") as out:
    json.dump(metadata, out)
finish("values", {})

# Deletion vectors, which replace deletes by position.
table = create("vectors", simple)
table.append(numbers(0, 10))
table.append(numbers(10, 20))
files = data_files("vectors")
delete = parquet("vectors", "positions.parquet", {"file_path": pa.array([files[0], files[10]]), "pos": pa.array([0, 0], pa.int64())}, POSITION_IDS)
add_snapshot("vectors", [dict(delete, content=1)], "deflate")
body = struct.pack("<IIHHIHHH", 12346, 1, 0, 2, 16, 0, 4, 9)
vector = struct.pack("<IQI", 1681511377, 1, 0) + body
blob = struct.pack(">I", len(vector)) + vector + struct.pack(">I", zlib.crc32(vector))
footer = json.dumps({"blobs": [{"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1, "sequence-number": -1, "offset": 4,
                                "length": len(blob), "properties": {"referenced-data-file": files[0], "cardinality": "3"}}]}).encode()
puffin = b"PFA1" + blob + b"PFA1" + footer + struct.pack("<I", len(footer)) + b"\0\0\0\0" + b"PFA1"
with open(f"{LAKE}/vectors/data/vectors.puffin", "wb") as out:
    out.write(puffin)
add_snapshot("vectors", [dict(content=1, file_path=f"file://{LAKE}/vectors/data/vectors.puffin", file_format="PUFFIN", record_count=3, file_size_in_bytes=len(puffin),
                              referenced_data_file=files[0], content_offset=4, content_size_in_bytes=len(blob))], "deflate", version=3)
finish("vectors", {})
shutil.rmtree(LAKE)
