"""Writes registry-messages.json: schemas of a registry, and messages of Confluent's serializers for Python.

pip install "confluent-kafka[avro,protobuf,json]" grpcio-tools
python registry_messages.py > registry-messages.json
"""

import base64
import datetime
import decimal
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import uuid

from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

registry = SchemaRegistryClient.new_client({"url": "mock://headrace"})
messages = {}


def add(name, serializer, value):
    data = serializer(value, SerializationContext(name, MessageField.VALUE))
    messages[name] = base64.b64encode(data).decode()


ADDRESS = {
    "type": "record",
    "name": "Address",
    "namespace": "shop.types",
    "fields": [{"name": "city", "type": "string"}],
}
registry.register_schema("address", Schema(json.dumps(ADDRESS), "AVRO"))


def logical(kind, logical_type, **more):
    return {"type": kind, "logicalType": logical_type, **more}


ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "count", "type": "int"},
        {"name": "big", "type": "long"},
        {"name": "small", "type": "long"},
        {"name": "ratio", "type": "double"},
        {"name": "short", "type": "float"},
        {"name": "open", "type": "boolean"},
        {"name": "raw", "type": "bytes"},
        {"name": "price", "type": logical("bytes", "decimal", precision=38, scale=10)},
        {"name": "small_price", "type": logical("bytes", "decimal", precision=9, scale=2)},
        {
            "name": "fixed_price",
            "type": logical("fixed", "decimal", precision=20, scale=3, name="Price", size=10),
        },
        {"name": "due", "type": logical("int", "date")},
        {"name": "at_millis", "type": logical("long", "timestamp-millis")},
        {"name": "at_micros", "type": logical("long", "timestamp-micros")},
        {"name": "local", "type": logical("long", "local-timestamp-millis")},
        {"name": "time_millis", "type": logical("int", "time-millis")},
        {"name": "time_micros", "type": logical("long", "time-micros")},
        {"name": "key", "type": logical("string", "uuid")},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "totals", "type": {"type": "map", "values": "long"}},
        {"name": "note", "type": ["null", "string"]},
        {"name": "other", "type": ["null", "string"]},
        {"name": "address", "type": "shop.types.Address"},
        {"name": "next", "type": ["null", "Order"]},
    ],
}


def order(**more):
    return {
        "id": "k1",
        "count": -3,
        "big": 9007199254740993,
        "small": -(2**63),
        "ratio": 1.5,
        "short": 0.10000000149011612,
        "open": True,
        "raw": b"\x00\xff",
        "price": decimal.Decimal("1234567890123456789012345678.1234567890"),
        "small_price": decimal.Decimal("-0.10"),
        "fixed_price": decimal.Decimal("12345.678"),
        "due": datetime.date(2024, 3, 31),
        "at_millis": datetime.datetime(2024, 1, 2, 3, 4, 5, 678000, datetime.timezone.utc),
        "at_micros": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, datetime.timezone.utc),
        "local": datetime.datetime(2024, 1, 2, 3, 4, 5),
        "time_millis": datetime.time(3, 4, 5, 678000),
        "time_micros": datetime.time(23, 59, 59, 1),
        "key": uuid.UUID("01234567-89ab-cdef-0123-456789abcdef"),
        "state": "PAID",
        "tags": ["a", "Grüße"],
        "totals": {"x": 1, "y": -1},
        "note": None,
        "other": "text",
        "address": {"city": "Köln"},
        "next": None,
        **more,
    }


references = [SchemaReference("shop.types.Address", "address", 1)]
avro = AvroSerializer(registry, Schema(json.dumps(ORDER), "AVRO", references))
add("avro", avro, order(next=order(id="k2")))


def debezium(timestamp):
    row = {
        "type": "record",
        "name": "Value",
        "fields": [
            {"name": "id", "type": "int"},
            {
                "name": "seen",
                "type": {"type": "long", "connect.version": 1, "connect.name": f"io.debezium.time.{timestamp}"},
            },
            {"name": "name", "type": ["null", "string"], "default": None},
        ],
    }
    return {
        "type": "record",
        "name": "Envelope",
        "namespace": "db.shop.orders",
        "fields": [
            {"name": "before", "type": ["null", row], "default": None},
            {"name": "after", "type": ["null", "Value"], "default": None},
            {"name": "op", "type": "string"},
        ],
    }


envelope = AvroSerializer(registry, json.dumps(debezium("MicroTimestamp")))
row = {"id": 7, "seen": 1704164645678901, "name": "a"}
add("debezium-create", envelope, {"before": None, "after": row, "op": "c"})
add("debezium-delete", envelope, {"before": row, "after": None, "op": "d"})
KEY = {"type": "record", "name": "Key", "namespace": "db.shop.orders", "fields": [{"name": "id", "type": "int"}]}
add("debezium-key", AvroSerializer(registry, json.dumps(KEY)), {"id": 7})

JSON_SCHEMA = {"title": "Thing", "type": "object", "properties": {"id": {"type": "string"}}}
add("json", JSONSerializer(json.dumps(JSON_SCHEMA), registry), {"id": "j1", "n": 1.5})

COMMON = """syntax = "proto3";
package shop.common;
message Address { string city = 1; }
"""
ITEM = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
import "common.proto";
message First { string id = 1; }
message Item {
  message Part { string name = 1; Item inside = 2; }
  enum Color { UNKNOWN = 0; RED = 2; }
  string id = 1;
  int64 big = 2;
  uint64 huge = 3;
  sint32 low = 4;
  fixed64 wide = 5;
  sfixed32 narrow = 6;
  int32 minus = 7;
  double ratio = 8;
  float short = 9;
  bool open = 10;
  bytes raw = 11;
  Color color = 12;
  repeated int32 numbers = 13;
  repeated string tags = 14;
  map<string, int64> totals = 15;
  Part part = 16;
  google.protobuf.Timestamp at = 17;
  google.protobuf.Duration took = 18;
  google.protobuf.Struct free = 19;
  google.protobuf.Int64Value wrapped = 20;
  common.Address address = 21;
  optional string absent = 22;
  int32 zero = 23;
  oneof choice { string left = 24; int32 right = 25; }
  map<int32, Part> parts = 26;
}
"""
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "common.proto").write_text(COMMON)
    pathlib.Path(folder, "item.proto").write_text(ITEM)
    compiler = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--python_out={folder}"]
    subprocess.run([*compiler, "common.proto", "item.proto"], check=True)
    sys.path.insert(0, folder)
    pb = importlib.import_module("item_pb2")

item = pb.Item(id="p1", big=9007199254740993, huge=2**64 - 1, low=-5, wide=2**63, narrow=-7, minus=-1, ratio=2.0)
item.short = 1.1
item.open = True
item.raw = b"\x00\xff"
item.color = pb.Item.RED
item.numbers.extend([1, 300, -1])
item.tags.extend(["a", "Grüße"])
item.totals["x"] = 2**53 + 1
item.part.name = "wheel"
item.part.inside.id = "p2"
item.at.FromDatetime(datetime.datetime(2024, 1, 2, 3, 4, 5, 678901))
item.took.FromNanoseconds(-1_500_000_000)
item.free.update({"a": [1, None, "x"], "b": {"c": True}})
item.wrapped.value = 0
item.address.city = "Köln"
item.right = 0
item.parts[3].name = "bolt"
part = pb.Item.Part(name="alone")
protobuf_settings = {"use.deprecated.format": False, "skip.known.types": True}
add("protobuf", ProtobufSerializer(pb.Item, registry, protobuf_settings), item)
add("protobuf-first", ProtobufSerializer(pb.First, registry, protobuf_settings), pb.First(id="f1"))
add("protobuf-nested", ProtobufSerializer(pb.Item.Part, registry, protobuf_settings), part)

# The serializer registers the binary form of descriptors. Registries answer with the text, as Java registers it.
texts = {"item.proto": ITEM, "common.proto": COMMON}


def answer(schema, name):
    text = schema.schema_str
    if schema.schema_type == "PROTOBUF":
        text = texts.get(name) or ITEM
    references = [{"name": one.name, "subject": one.subject, "version": one.version} for one in schema.references or []]
    return {
        "schema": text,
        **({} if schema.schema_type == "AVRO" else {"schemaType": schema.schema_type}),
        **({"references": references} if references else {}),
    }


schemas = {}
subjects = {}
for subject in registry.get_subjects():
    for version in registry.get_versions(subject):
        registered = registry.get_version(subject, version)
        found = answer(registered.schema, subject)
        schemas[registered.schema_id] = found
        subjects.setdefault(subject, {})[version] = found
json.dump({"schemas": schemas, "subjects": subjects, "messages": messages}, sys.stdout, indent=1, ensure_ascii=False)
print()
