"""Writes the files of the tests with DuckDB: python make-duckdb-files.py. The expected values are in the test."""

import os

import duckdb

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "duckdb"))

duckdb.sql("""
CREATE TABLE rows AS SELECT
  i::INTEGER AS i, i % 2 = 0 AS bool,
  (-i)::TINYINT AS i8, (-300 * i)::SMALLINT AS i16, (255 - i)::UTINYINT AS u8, (65535 - i)::USMALLINT AS u16,
  (4294967295 - i)::UINTEGER AS u32, (18446744073709551615 - i)::UBIGINT AS u64, (-4000000000 * i)::BIGINT AS i64,
  (i / 7)::FLOAT AS f, (i / 7)::DOUBLE AS d,
  (i * 1.1)::DECIMAL(4, 1) AS dec4, (i * 1.01)::DECIMAL(9, 2) AS dec9, (i * 1.001)::DECIMAL(18, 3) AS dec18,
  (12345678901234567890.12 + i)::DECIMAL(38, 2) AS dec38,
  DATE '1969-12-31' + i::INTEGER AS day, TIME '01:02:03.000004' AS tm,
  TIMESTAMP '2024-01-02 03:04:05.123456' + to_days(i::INTEGER) AS ts_us,
  make_timestamp_ns(1704164645123456789 + i) AS ts_ns, TIMESTAMP_MS '2024-01-02 03:04:05.123' AS ts_ms,
  TIMESTAMP_S '1960-01-02 03:04:05' AS ts_s, TIMESTAMPTZ '2024-01-02 03:04:05.123456+02' AS ts_tz,
  ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1' || i)::UUID AS uuid,
  to_months(i::INTEGER) + to_days(2) + to_seconds(i) AS span,
  'x' || repeat('é', i::INTEGER) AS t, encode('ab' || i) AS bin, ('{"a": [' || i || ', null]}')::JSON AS j,
  CASE i WHEN 1 THEN 'y' END AS n, (CASE i WHEN 0 THEN 'x' ELSE 'y' END)::ENUM ('x', 'y') AS e,
  CASE i WHEN 0 THEN NULL WHEN 1 THEN [] ELSE [i, NULL] END AS lst, [[i], [], NULL] AS nested,
  {'x': i, 'y': 'v' || i} AS st, MAP(['k1', 'k2'], [i, NULL]) AS mp, [{'a': i, 'b': ['q']}, NULL] AS ls
FROM range(3) AS r(i)""")
for version in ["V1", "V2"]:
    duckdb.sql(f"COPY rows TO 'types-{version}.parquet' (FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION {version})")
