import { expect, it } from 'vitest';
import { readDocuments } from './testing/read-documents.ts';

const folder = new URL('./testing/duckdb/', import.meta.url).pathname;

/** The values that DuckDB 2.0 wrote, by make-duckdb-files.py. */
const ROWS = [
  '{"id":"0","bool":true,"i8":0,"i16":0,"u8":255,"u16":65535,"u32":4294967295,"u64":18446744073709551615,"i64":0,' +
    '"f":0.0,"d":0.0,"dec4":0.0,"dec9":0.0,"dec18":"0.000","dec38":"12345678901234567890.12","day":"1969-12-31",' +
    '"tm":"01:02:03.000004","ts_us":"2024-01-02T03:04:05.123456","ts_ns":"2024-01-02T03:04:05.123456789",' +
    '"ts_ms":"2024-01-02T03:04:05.123","ts_s":"1960-01-02T03:04:05","ts_tz":"2024-01-02T01:04:05.123456Z",' +
    '"uuid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a10","span":{"months":0,"days":2,"millis":0},"t":"x","bin":"YWIw",' +
    '"j":{"a":[0,null]},"e":"x","nested":[[0],[],null],"st":{"x":0,"y":"v0"},"mp":{"k1":0,"k2":null},' +
    '"ls":[{"a":0,"b":["q"]},null]}',
  '{"id":"1","bool":false,"i8":-1,"i16":-300,"u8":254,"u16":65534,"u32":4294967294,"u64":18446744073709551614,' +
    '"i64":-4000000000,"f":0.14285715,"d":0.14285714285714285,"dec4":1.1,"dec9":1.01,"dec18":"1.001",' +
    '"dec38":"12345678901234567891.12","day":"1970-01-01","tm":"01:02:03.000004","ts_us":"2024-01-03T03:04:05.123456",' +
    '"ts_ns":"2024-01-02T03:04:05.123456790","ts_ms":"2024-01-02T03:04:05.123","ts_s":"1960-01-02T03:04:05",' +
    '"ts_tz":"2024-01-02T01:04:05.123456Z","uuid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",' +
    '"span":{"months":1,"days":2,"millis":1000},"t":"xé","bin":"YWIx","j":{"a":[1,null]},"n":"y","e":"y","lst":[],' +
    '"nested":[[1],[],null],"st":{"x":1,"y":"v1"},"mp":{"k1":1,"k2":null},"ls":[{"a":1,"b":["q"]},null]}',
  '{"id":"2","bool":true,"i8":-2,"i16":-600,"u8":253,"u16":65533,"u32":4294967293,"u64":18446744073709551613,' +
    '"i64":-8000000000,"f":0.2857143,"d":0.2857142857142857,"dec4":2.2,"dec9":2.02,"dec18":"2.002",' +
    '"dec38":"12345678901234567892.12","day":"1970-01-02","tm":"01:02:03.000004","ts_us":"2024-01-04T03:04:05.123456",' +
    '"ts_ns":"2024-01-02T03:04:05.123456791","ts_ms":"2024-01-02T03:04:05.123","ts_s":"1960-01-02T03:04:05",' +
    '"ts_tz":"2024-01-02T01:04:05.123456Z","uuid":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12",' +
    '"span":{"months":2,"days":2,"millis":2000},"t":"xéé","bin":"YWIy","j":{"a":[2,null]},"e":"y","lst":[2,null],' +
    '"nested":[[2],[],null],"st":{"x":2,"y":"v2"},"mp":{"k1":2,"k2":null},"ls":[{"a":2,"b":["q"]},null]}',
];

it.each(['V1', 'V2'])('reads every type of DuckDB exactly from a file of the version %s', async (version) => {
  const { json, rejected } = await readDocuments({ paths: [`${folder}types-${version}.parquet`], idField: 'i' });
  expect(rejected).toEqual([]);
  expect(json).toEqual(ROWS);
});
