import { describe, expect, it } from 'vitest';
import { decodeMessages } from './testing/decode-messages.ts';

const valuesOf = (...values: string[]) => values.map((value) => ({ value }));
const reasons = (decoded: ReturnType<typeof decodeMessages>) => decoded.rejected.map(({ message }) => message);

it('rejects a message with text after its object, because that text would be lost', () => {
  const messages = ['{"id":"a"}', '{"id":"b"} \n', '{"id":"c"}{"id":"d"}', ' {"id":"e"}\n{"id":"f"}', '{"id":"g"},'];
  const { json, rejected } = decodeMessages(valuesOf(...messages));
  expect(json).toEqual(['{"id":"a"}', '{"id":"b"}']);
  const message = (at: number) => `text follows the object, at character ${at}: a message must be one JSON object`;
  expect(rejected).toEqual([
    { place: 'topic t, partition 0, offset 2', message: message(11) },
    { place: 'topic t, partition 0, offset 3', message: message(12) },
    { place: 'topic t, partition 0, offset 4', message: message(11) },
  ]);
});

it('rejects an empty message and one without an object', () => {
  expect(reasons(decodeMessages(valuesOf('', '[1]', '{"id":"a"')))).toEqual([
    'Expected a JSON value, found the end of the text',
    'its value is not a JSON object',
    expect.stringContaining('Expected'),
  ]);
});

it('names the format of a message that is not JSON', () => {
  const decoded = decodeMessages([
    { value: Buffer.from('\0\0\0\0\x07\x04k4\x08', 'latin1') },
    { value: Buffer.from('\0\0', 'latin1') },
    { value: Buffer.from('Obj\x01\x04', 'latin1') },
    { value: Buffer.from('\x1f\x8b\x08', 'latin1') },
  ]);
  expect(reasons(decoded)).toEqual([
    'it begins with the byte 0 and the number 7: it is Avro, Protobuf or JSON Schema with a schema registry (set schemaRegistry)',
    'it begins with the byte 0, so it is neither JSON nor text',
    'it is an Avro file, not JSON',
    'it is compressed with gzip, not JSON',
  ]);
});

it('reads a message with a byte-order mark, and counts bytes that are not UTF-8', () => {
  const { json, notices } = decodeMessages([
    { value: Buffer.from('\ufeff{"id":"k9"}') },
    { value: Buffer.from('{"id":"k8","bad":"\xff\xfe"}', 'latin1') },
    { value: '{"id":"k7","real":"\ufffd"}' },
  ]);
  expect(json).toEqual(['{"id":"k9"}', '{"id":"k8","bad":"\ufffd\ufffd"}', '{"id":"k7","real":"\ufffd"}']);
  expect(notices).toMatchObject([{ code: 'bytes.invalid', file: 'topic t, partition 0, offset 1', count: 2 }]);
});

describe('idFrom: key', () => {
  it('uses the key as the id, with the prefix', () => {
    const messages = [
      { key: 'k1', value: '{"name":"one"}' },
      { key: 'k2', value: '{"id":"other","n":2}' },
      { key: '{"a":1}', value: '{}' },
    ];
    const { json } = decodeMessages(messages, { idFrom: 'key', docIdPrefix: 'p-' });
    expect(json).toEqual(['{"name":"one","id":"p-k1"}', '{"id":"p-k2","n":2}', '{"id":"p-{\\"a\\":1}"}']);
  });

  it('rejects a message without a key, with an empty one, or with one that is not text', () => {
    const messages = [
      { value: '{}' },
      { key: '', value: '{}' },
      { key: Buffer.from([0xff]), value: '{}' },
      { key: Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), value: '{}' },
    ];
    expect(reasons(decodeMessages(messages, { idFrom: 'key' }))).toEqual([
      'it has no key for the id',
      'its key is empty',
      'its key is not text in UTF-8',
      expect.stringContaining('it begins with the byte 0'),
    ]);
  });
});

describe('tombstones', () => {
  const messages = [{ key: 'k1', value: '{"id":"k1"}' }, { key: 'k1' }, { key: 'k2', value: '{"id":"k2"}' }];

  it('become requests to delete that skip the stages', () => {
    const { documents, json } = decodeMessages(messages, { tombstones: 'delete', docIdPrefix: 'p-' });
    expect(json[1]).toBe('{"id":"p-k1","kafka_deleted":true,"___skipped":"delete"}');
    expect(documents.map((document) => [document.id, document.isDelete, document.skipped])).toEqual([
      ['p-k1', false, false],
      ['p-k1', true, true],
      ['p-k2', false, false],
    ]);
  });

  it('are ignored or fail alone', () => {
    expect(decodeMessages(messages, { tombstones: 'ignore' }).json).toEqual(['{"id":"k1"}', '{"id":"k2"}']);
    const { json, rejected } = decodeMessages(messages, { tombstones: 'fail' });
    expect(json).toHaveLength(2);
    expect(rejected).toEqual([
      {
        place: 'topic t, partition 0, offset 1',
        message: 'it has no value (set tombstones to delete or ignore)',
      },
    ]);
  });

  it('without a key fail alone', () => {
    expect(reasons(decodeMessages([{}], { tombstones: 'delete' }))).toEqual(['it has no key for the id']);
  });
});

it('copies headers to fields, several with one name as a list', () => {
  const messages = [
    { value: '{"id":"a"}', headers: { trace: 'Grüße', other: 'x', source: Buffer.from([0xff]) } },
    { value: '{"id":"b","at":"old"}' },
  ];
  const { json, notices } = decodeMessages(messages, { headerFields: ['trace_id', 'src'] }, ['trace', 'source']);
  expect(json).toEqual(['{"id":"a","trace_id":"Grüße","src":"\ufffd"}', '{"id":"b","at":"old"}']);
  expect(notices).toMatchObject([{ code: 'bytes.invalid' }]);
});

describe('unwrap: debezium', () => {
  const unwrap = { unwrap: 'debezium', tombstones: 'delete' } as const;
  const change = (op: string, before: object | null, after: object | null) => ({
    before,
    after,
    op,
    ts_ms: 1,
    source: { table: 'books' },
  });
  const bare = (...parts: Parameters<typeof change>) => JSON.stringify(change(...parts));
  const key = '{"payload":{"id":2}}';

  it('writes rows that were created, updated or read in a snapshot, and deletes others', () => {
    const messages = [
      { key, value: bare('c', null, { id: 1, name: 'a' }) },
      { key, value: bare('u', { id: 1, name: 'a' }, { id: 1, name: null }) },
      { key, value: bare('r', null, { id: 2 }) },
      { key, value: bare('d', { id: 2, name: 'x' }, null) },
      { key },
      { key, value: bare('m', null, null) },
    ];
    const { json, rejected } = decodeMessages(messages, unwrap);
    expect(rejected).toEqual([]);
    expect(json).toEqual([
      '{"id":"1","name":"a"}',
      '{"id":"1","name":null}',
      '{"id":"2"}',
      '{"id":"2","kafka_deleted":true,"___skipped":"delete"}',
      '{"id":"2","kafka_deleted":true,"___skipped":"delete"}',
    ]);
  });

  it('builds ids from keys, also from those with several columns', () => {
    const messages = [
      { key: '{"schema":{"type":"struct"},"payload":{"a":"x","b":1}}', value: bare('c', null, { n: 1 }) },
      { key: '{"a":"x","b":1}', value: bare('d', null, null) },
      { key: '{"id":7}', value: bare('c', null, { n: 1 }) },
      { key: '"text"', value: bare('c', null, { n: 1 }) },
    ];
    const { documents } = decodeMessages(messages, { ...unwrap, idFrom: 'key' });
    expect(documents.map(({ id }) => id)).toEqual(['["x",1]', '["x",1]', '7', 'text']);
  });

  it('reads dates, times and decimals by the schema', () => {
    const field = (name: string, type: string, typeName: string, parameters?: object) => ({
      field: name,
      type,
      name: typeName,
      ...(parameters === undefined ? {} : { parameters }),
    });
    const row = {
      field: 'after',
      type: 'struct',
      fields: [
        { field: 'id', type: 'int32' },
        field('day', 'int32', 'io.debezium.time.Date'),
        field('seen', 'int64', 'io.debezium.time.MicroTimestamp'),
        field('at', 'int64', 'org.apache.kafka.connect.data.Timestamp'),
        field('time', 'int64', 'io.debezium.time.MicroTime'),
        field('price', 'bytes', 'org.apache.kafka.connect.data.Decimal', { scale: '2' }),
        field('free', 'struct', 'io.debezium.data.VariableScaleDecimal'),
        { field: 'days', type: 'array', items: { type: 'int32', name: 'io.debezium.time.Date' } },
        field('never', 'int64', 'io.debezium.time.MicroTimestamp'),
      ],
    };
    const after = {
      id: 1,
      day: 19813,
      seen: 1704164645678901,
      at: 1704164645000,
      time: 86399000001,
      // -12.50 and 12345678901234567890.123
      price: '+x4=',
      free: { scale: 3, value: 'Ap1Ctk52cUJEyw==' },
      days: [0, null, -1],
      never: '9223371331200000000',
    };
    const value = JSON.stringify({ schema: { type: 'struct', fields: [row] }, payload: change('c', null, after) });
    const { json } = decodeMessages(
      [{ key, value: value.replace('"9223371331200000000"', '9223371331200000000') }],
      unwrap,
    );
    expect(JSON.parse(json[0] as string)).toMatchObject({
      day: '2024-03-31',
      seen: '2024-01-02T03:04:05.678901Z',
      at: '2024-01-02T03:04:05Z',
      time: '23:59:59.000001',
      price: -12.5,
      free: '12345678901234567890.123',
      days: ['1970-01-01', null, '1969-12-31'],
    });
    expect(json[0]).toContain('"never":9223371331200000000');
  });

  it('omits values that the change has not touched, with a notice', () => {
    const value = bare('u', null, { id: 1, long: '__debezium_unavailable_value', name: 'a' });
    const { json, notices } = decodeMessages([{ key, value }], unwrap);
    expect(json).toEqual(['{"id":"1","name":"a"}']);
    const file = 'topic t, partition 0, offset 0';
    expect(notices).toEqual([{ code: 'kafka.valueUnavailable', file, document: '1', field: 'long' }]);
  });

  it('rejects a truncated table and messages that are not of Debezium', () => {
    const messages = [bare('t', null, null), '{"id":1}', bare('x', null, null), bare('c', null, null), '[]'];
    expect(reasons(decodeMessages(valuesOf(...messages), unwrap))).toEqual([
      'The table books was truncated: its documents were not deleted',
      'it is no message of Debezium: it has no field op',
      'it is no message of Debezium: op is "x"',
      'it is no message of Debezium: op is c, but after is not an object',
      'it is no message of Debezium: it is not an object',
    ]);
  });
});
