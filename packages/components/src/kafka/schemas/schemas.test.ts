import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MessageDecoderOptions } from '../message-decoder.ts';
import { decodeMessages } from '../testing/decode-messages.ts';
import { compileAvro } from './avro.ts';
import { readProtobufSchema } from './protobuf-schema.ts';
import { ProtobufReader } from './protobuf-values.ts';
import { type RegisteredSchema, schemaIdOf } from './registered-schema.ts';
import { SchemaRegistry } from './schema-registry.ts';

interface Answer {
  readonly schema: string;
}

/** Schemas, and messages that Confluent's serializers for Python have written; see `registry_messages.py`. */
const registered = JSON.parse(readFileSync(new URL('../testing/registry-messages.json', import.meta.url), 'utf8')) as {
  readonly schemas: Readonly<Record<string, Answer>>;
  readonly subjects: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
  readonly messages: Readonly<Record<string, string>>;
};
const message = (name: string) => Buffer.from(registered.messages[name] as string, 'base64');
const NEVER = new AbortController().signal;

/** Starts a registry that serves the schemas. */
async function startRegistry(status = 200): Promise<{ url: string; requests: string[]; authorizations: string[] }> {
  const requests: string[] = [];
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    authorizations.push(request.headers.authorization ?? '');
    const [, id, subject = '', version = ''] =
      /^\/schemas\/ids\/(\d+)$|^\/subjects\/(.+)\/versions\/(\d+)$/.exec(path) ?? [];
    const answer = id === undefined ? registered.subjects[subject]?.[version] : registered.schemas[id];
    response.writeHead(status === 200 && answer === undefined ? 404 : status);
    response.end(JSON.stringify(answer ?? { error_code: 40403, message: 'Schema not found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests, authorizations };
}

async function schemasOf(...messages: readonly Buffer[]): Promise<ReadonlyMap<number, RegisteredSchema>> {
  const { url } = await startRegistry();
  const registry = await SchemaRegistry.open({ url });
  onTestFinished(() => registry.close());
  return registry.get(new Set(messages.map((bytes) => schemaIdOf(bytes) as number)), NEVER);
}

async function decode(name: string, options: Partial<MessageDecoderOptions> = {}, key?: string) {
  const value = message(name);
  const keyBytes = key === undefined ? undefined : message(key);
  const schemas = await schemasOf(value, ...(keyBytes === undefined ? [] : [keyBytes]));
  const decoded = decodeMessages(
    [{ value, ...(keyBytes === undefined ? {} : { key: keyBytes }) }],
    options,
    [],
    schemas,
  );
  expect(decoded.rejected).toEqual([]);
  return decoded.json[0];
}

describe('a schema registry', () => {
  it('is asked once for each schema, with the login, and for the schemas that it refers to', async () => {
    const { url, requests, authorizations } = await startRegistry();
    const registry = await SchemaRegistry.open({ url, userName: 'u', password: 'p' });
    onTestFinished(() => registry.close());
    const id = schemaIdOf(message('avro')) as number;
    expect(await registry.get([id], NEVER)).toEqual(await registry.get([id], NEVER));
    expect(requests).toEqual([`/schemas/ids/${id}`, '/subjects/address/versions/1']);
    expect(new Set(authorizations)).toEqual(new Set([`Basic ${Buffer.from('u:p').toString('base64')}`]));
  });

  it('that does not have the schema of a message fails that message alone', async () => {
    const unknown = Buffer.from('\0\0\0\x03\xe7\x02', 'latin1');
    const schemas = await schemasOf(unknown, message('json'));
    const { json, rejected } = decodeMessages([{ value: unknown }, { value: message('json') }], {}, [], schemas);
    expect(json).toEqual(['{"id":"j1","n":1.5}']);
    expect(rejected).toMatchObject([{ message: 'the schema registry has no schema 999' }]);
  });

  it('that refuses the login fails the connector', async () => {
    const { url } = await startRegistry(401);
    const registry = await SchemaRegistry.open({ url });
    onTestFinished(() => registry.close());
    await expect(registry.get([1], NEVER)).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      hint: expect.stringContaining('userName'),
    });
  });
});

it('reads Avro with exact numbers, dates and times', async () => {
  const order = (id: string, next: string) =>
    `{"id":"${id}","count":-3,"big":9007199254740993,"small":-9223372036854775808,"ratio":1.5,"short":0.1,"open":true,` +
    '"raw":"AP8=","price":"1234567890123456789012345678.1234567890","small_price":-0.1,"fixed_price":12345.678,' +
    '"due":"2024-03-31","at_millis":"2024-01-02T03:04:05.678Z","at_micros":"1969-12-31T23:59:59.999999Z",' +
    '"local":"2024-01-02T03:04:05","time_millis":"03:04:05.678","time_micros":"23:59:59.000001",' +
    '"key":"01234567-89ab-cdef-0123-456789abcdef","state":"PAID","tags":["a","Grüße"],"totals":{"x":1,"y":-1},' +
    `"note":null,"other":"text","address":{"city":"Köln"},"next":${next}}`;
  expect(await decode('avro')).toBe(order('k1', order('k2', 'null')));
});

it('reads changes of Debezium in Avro, with a key in Avro', async () => {
  const options = { unwrap: 'debezium', idFrom: 'key' } as const;
  expect(await decode('debezium-create', options, 'debezium-key')).toBe(
    '{"id":"7","seen":"2024-01-02T03:04:05.678901Z","name":"a"}',
  );
  expect(await decode('debezium-delete', options, 'debezium-key')).toBe(
    '{"id":"7","kafka_deleted":true,"___skipped":"delete"}',
  );
});

it('reads JSON with a schema', async () => {
  expect(await decode('json')).toBe('{"id":"j1","n":1.5}');
});

it('reads Protobuf with exact numbers and the messages of Google', async () => {
  expect(await decode('protobuf')).toBe(
    '{"id":"p1","big":9007199254740993,"huge":18446744073709551615,"low":-5,"wide":9223372036854775808,"narrow":-7,' +
      '"minus":-1,"ratio":2.0,"short":1.1,"open":true,"raw":"AP8=","color":"RED","numbers":[1,300,-1],' +
      '"tags":["a","Grüße"],"totals":{"x":9007199254740993},"part":{"name":"wheel","inside":' +
      `${emptyItem('p2')}},"at":"2024-01-02T03:04:05.678901Z","took":"-1.5s",` +
      '"free":{"a":[1.0,null,"x"],"b":{"c":true}},"wrapped":0,"address":{"city":"Köln"},"zero":0,"right":0,' +
      '"parts":{"3":{"name":"bolt"}}}',
  );
});

it('reads the message of a Protobuf file that the positions name', async () => {
  expect(await decode('protobuf-first')).toBe('{"id":"f1"}');
  expect(await decode('protobuf-nested', { idField: 'name' })).toBe('{"name":"alone","id":"alone"}');
});

function emptyItem(id: string): string {
  return (
    `{"id":"${id}","big":0,"huge":0,"low":0,"wide":0,"narrow":0,"minus":0,"ratio":0.0,"short":0.0,"open":false,` +
    '"raw":"","color":"UNKNOWN","zero":0}'
  );
}

describe('a hostile message', () => {
  const avro = (schema: unknown, ...bytes: number[]) => {
    const read = compileAvro([JSON.stringify(schema)]);
    return () => read(Buffer.from(bytes), 0);
  };
  const long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];

  it.each([
    ['a text longer than the message', 'string', [0x80, 0x80, 0x80, 0x80, 0x10]],
    ['a negative length', 'string', [0x01]],
    ['an integer without end', 'long', [...long, 0xff, 0xff]],
    ['too few bytes', 'double', [1, 2]],
    ['bytes after the value', 'int', [2, 2]],
    ['a branch that does not exist', ['null', 'int'], [4]],
    ['a symbol that does not exist', { type: 'enum', name: 'E', symbols: ['A'] }, [4]],
  ])('in Avro with %s fails', (_, schema, bytes) => {
    expect(avro(schema, ...bytes)).toThrow(/^its Avro cannot be read/);
  });

  it.each([
    ['nulls', 'null'],
    ['empty records', { type: 'record', name: 'R', fields: [] }],
    ['empty fixed values', { type: 'fixed', name: 'F', size: 0 }],
  ])('in Avro that claims to be a list of billions of %s fails', (_, items) => {
    expect(avro({ type: 'array', items }, ...long, 0)).toThrow(
      'its Avro cannot be read: it has more values than bytes',
    );
  });

  it('in Avro of a record that contains itself fails', () => {
    const schema = { type: 'record', name: 'R', fields: [{ name: 'r', type: 'R' }] };
    expect(avro(schema, 0)).toThrow('nested deeper than 500 levels');
  });

  it('with an Avro schema that is wrong fails', () => {
    const wrong = ['{"type":"record","name":"R"}', '"Missing"', '{"type":"fixed","name":"F","size":-1}', '7'];
    for (const schema of wrong) expect(() => compileAvro([schema])).toThrow(/^the Avro schema cannot be used/);
  });

  const protobuf = async (text: string, ...bytes: number[]) => {
    const schema = await readProtobufSchema({ name: '', text: `syntax = "proto3"; ${text}` }, []);
    return () => new ProtobufReader(schema).read(Buffer.from([0, ...bytes]), 0);
  };

  it('in Protobuf with wrong lengths or forms fails', async () => {
    const text = 'message M { string a = 1; M m = 2; repeated int32 n = 3; }';
    const wrong = [
      [0x0a, 0x7f],
      [0x12, 0x04, 0x0a, 0x7f],
      [0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f],
      [0x0f],
      [0x53],
      [0x80],
    ];
    for (const bytes of wrong) expect(await protobuf(text, ...bytes)).toThrow(/^its Protobuf cannot be read/);
    const deep = Array.from({ length: 600 }, () => 0x53);
    expect(await protobuf(text, ...deep)).toThrow('nested deeper than 500 levels');
  });

  it('in Protobuf with an unknown field, and one of another form, keeps the other fields', async () => {
    const read = await protobuf(
      'message M { string a = 1; int32 n = 2; }',
      0x4a,
      1,
      0x78,
      0x12,
      1,
      0x78,
      0x0a,
      1,
      0x61,
    );
    expect(read()).toEqual(
      new Map<string, unknown>([
        ['a', 'a'],
        ['n', 0],
      ]),
    );
  });

  it('in Protobuf with a message that only has a name of Google keeps its fields', async () => {
    const text = 'package google.protobuf; message Timestamp { double seconds = 1; }';
    const read = await protobuf(text, 0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f);
    expect(read()).toEqual(new Map([['seconds', 1.5]]));
  });

  it('with a Protobuf schema that is wrong fails', async () => {
    for (const text of ['message', 'message M { Missing m = 1; }']) {
      await expect(protobuf(text)).rejects.toThrow(/^the Protobuf schema cannot be used/);
    }
  });
});
