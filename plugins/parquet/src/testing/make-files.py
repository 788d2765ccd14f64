"""Writes the files of the tests with pyarrow: python make-files.py. The expected values are in the tests."""

import datetime as dt
import decimal as d
import os

import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "files"))

UTC = dt.timezone.utc
schema = pa.schema([
    ("i", pa.int64()), ("u64", pa.uint64()), ("i64", pa.int64()),
    ("dec9", pa.decimal128(9, 2)), ("dec30", pa.decimal128(30, 2)),
    ("ts_us", pa.timestamp("us")), ("ts_tz", pa.timestamp("ns", "UTC")), ("day", pa.date32()), ("tm", pa.time64("us")),
    ("bin", pa.binary()), ("lst", pa.list_(pa.int32())), ("nested", pa.list_(pa.list_(pa.int64()))),
    ("st", pa.struct([("x", pa.int32()), ("y", pa.string()), ("__proto__", pa.string())])),
    ("mp", pa.map_(pa.string(), pa.int32())),
    ("ls", pa.list_(pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))]))),
    ("f", pa.float32()), ("s", pa.string()),
])
rows = [
    dict(i=1, u64=2**64 - 1, i64=-2**63, dec9=d.Decimal("1.10"), dec30=d.Decimal("12345678901234567890.12"),
         ts_us=dt.datetime(2024, 1, 2, 3, 4, 5, 123456), ts_tz=dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
         day=dt.date(1969, 12, 31), tm=dt.time(1, 2, 3, 4), bin=b"\x00\xff", lst=[1, None, 3],
         nested=[[1, 2], [], None, [None]], st={"x": 1, "y": "a", "__proto__": "p"}, mp=[("k1", 1), ("k2", None)],
         ls=[{"a": 1, "b": ["q"]}, {"a": None, "b": None}, None], f=0.1, s="héé 日本"),
    dict(i=2, u64=0, i64=0, dec9=d.Decimal("-0.05")),
    dict(i=3, u64=5, i64=5, dec9=d.Decimal("0.00"), dec30=d.Decimal("-1.00"),
         ts_us=dt.datetime(1960, 1, 1, 0, 0, 0, 1), ts_tz=dt.datetime(2199, 1, 1, tzinfo=UTC),
         day=dt.date(2024, 2, 29), tm=dt.time(23, 59, 59), bin=b"", lst=[], nested=[],
         st={"x": None, "y": None, "__proto__": None}, mp=[], ls=[], f=1e30, s=""),
]
types = pa.Table.from_pylist(rows, schema)
for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"]:
    pq.write_table(types, f"types-{codec}-1.0.parquet", compression=codec, data_page_version="1.0")
pq.write_table(types, "types-snappy-2.0.parquet", data_page_version="2.0")

# Row groups of 10 rows, pages of a few rows, and an id that is sometimes missing.
cities = ["Berlin", "Paris", "Rome"]
groups = pa.table({
    "id": [None if n == 25 else f"r{n}" for n in range(40)],
    "n": pa.array(range(40), pa.int32()),
    "at": pa.array([dt.datetime(2024, 1, 1, tzinfo=UTC) + dt.timedelta(hours=n) for n in range(40)], pa.timestamp("ms", "UTC")),
    "price": pa.array([d.Decimal(n) / 4 for n in range(40)], pa.decimal128(9, 2)),
    "city": [cities[n % 3] for n in range(40)],
    "tags": [[f"t{m}" for m in range(n % 4)] for n in range(40)],
})
pq.write_table(groups, "groups.parquet", row_group_size=10, data_page_size=32, write_batch_size=3)

# One row group with pages that begin inside rows (version 1.0), with nulls, empty lists and a dictionary.
lists = pa.table({
    "id": pa.array(range(300), pa.int32()),
    "city": [cities[n % 3] if n % 5 else None for n in range(300)],
    "tags": [None if n % 11 == 0 else [f"t{m % 9}" for m in range(n * n % 23)] for n in range(300)],
    "pairs": [[{"a": m, "b": [n] * (m % 4)} for m in range(n % 6)] for n in range(300)],
})
for version, name in [("1.0", "lists"), ("2.0", "lists-2.0")]:
    pq.write_table(lists, f"../pages/{name}.parquet", data_page_version=version, data_page_size=256, write_batch_size=7)
