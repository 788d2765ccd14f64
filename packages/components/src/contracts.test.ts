import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Document,
  type EncodedBatch,
  indexerSettings,
  type Publisher,
  type RecordSink,
  silentNotices,
  withDefaults,
} from '@headrace/engine';
import { expect, it, onTestFinished } from 'vitest';
import { charsetDecoder, labelDecoder, markedEncoding, replacements } from './charsets.ts';
import {
  BatchBytes,
  DeletionMarks,
  Delivery,
  type DeliveryFailure,
  type Destination,
  FamilyDelivery,
  KeyedEncoder,
  RequestSize,
  retriesOf,
} from './delivery/index.ts';
import type { FileFormat } from './formats/handlers/file-handler.ts';
import { HeldRecords } from './formats/handlers/held-records.ts';
import { publishFile } from './formats/publishing.ts';
import { requireSuccess } from './http/index.ts';
import { cachedVector, openOutputFile, Storages } from './storage/index.ts';

// What custom components can do wrong with the exports of headrace/delivery, headrace/handlers, headrace/http,
// headrace/storage and headrace/charsets, so that documents would be lost or wrong without an error.

const log = { debug() {}, info() {}, warn() {}, error() {} };
const retries = retriesOf(
  {
    runId: 'r',
    settings: withDefaults(indexerSettings, { maxRetries: 3, retryWaitDurationMs: 0 }),
    log,
    notices: silentNotices,
  },
  'X',
);
const { signal } = new AbortController();
const busy: DeliveryFailure = { status: 429, message: 'busy' };
const decoderIn = (name: string) => ({ url: import.meta.url, name, options: {} });
const wrong = <T>(value: unknown) => value as T;

/** Delivers two documents, the first of which fails at the first request. */
function deliver(changes: Partial<Destination>): Promise<unknown> {
  const replies = [new Map([[0, busy]])];
  const destination: Destination = {
    partial: false,
    key: String,
    length: () => 10,
    isolates: () => false,
    request: async () => ({ items: replies.pop() ?? new Map() }),
    ...changes,
  };
  return new Delivery(retries, new RequestSize()).deliver([0, 1], destination, signal);
}

function batchOf(...texts: string[]): EncodedBatch {
  const lengths = Uint32Array.from(texts, (text) => Buffer.byteLength(text));
  const pieces = [Buffer.from(texts.join(''))];
  return { count: texts.length, pieces, lengths: () => lengths, ids: () => texts, pipeline: 'p', origins: () => [] };
}

function writeFamilies(written: unknown): Promise<unknown> {
  const remove = async () => ({ items: new Map() });
  return new FamilyDelivery(retries).write(batchOf('a', 'b'), signal, async () => wrong(written), remove);
}

/** Reads the records of a format as ApplyFileHandlers does. */
async function held(publish: (publisher: Publisher) => unknown): Promise<string[]> {
  const records = new HeldRecords();
  const format: FileFormat = { publish: wrong(async (_: unknown, publisher: Publisher) => publish(publisher)) };
  await publishFile(format, wrong({}), records);
  await records.close();
  const listener = { reject: () => undefined, warn: () => undefined, notices: silentNotices };
  return [...records.documents(listener)].map(({ id }) => id);
}

const heldChunk = (decoder: string, more: object = {}) =>
  held((publisher) =>
    publisher.publishChunk({ bytes: Buffer.from('a'), decoder: decoderIn(decoder), ...more } as never),
  );

const output = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-contracts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = await openOutputFile(join(folder, 'out'), false);
  onTestFinished(() => file.close(true));
  return file;
};

export class GoodDecoder {
  decode(bytes: Uint8Array, _: unknown, sink: RecordSink): void {
    sink.document(Document.create(Buffer.from(bytes).toString()));
  }
}
export class LateDecoder {
  async decode(bytes: Uint8Array, _: unknown, sink: RecordSink): Promise<void> {
    await undefined;
    new GoodDecoder().decode(bytes, _, sink);
  }
}
export class NoIdDecoder {
  decode(_: Uint8Array, __: unknown, sink: RecordSink): void {
    sink.document(wrong({ fieldNames: [] }));
  }
}

const options = { whitelist: [], blacklist: [] };

it.each<[string, () => unknown, string]>([
  [
    'a key that is no text',
    () => deliver({ key: wrong(() => undefined) }),
    'key() of a destination returned undefined',
  ],
  [
    'a length that is no number',
    () => deliver({ length: wrong(() => undefined) }),
    'length() of a destination returned',
  ],
  [
    'a version that is no bigint',
    () => deliver({ key: () => 'same', version: wrong((position: number) => `v${position}`) }),
    'version() of a destination returned a string, not a bigint',
  ],
  ['no reply', () => deliver({ request: wrong(async () => undefined) }), 'does not say which of 2 documents'],
  ['a size of requests that is no number', () => new RequestSize(Number.NaN), 'The maximum size of a request is NaN'],
  ['a refused size that is no number', () => new RequestSize().tooLarge(wrong(undefined)), 'The size of a request is'],
  ['an overloaded size', () => new RequestSize().overloaded(Number.NaN), 'The size of a request is NaN'],
  ['a position outside the batch', () => new BatchBytes(batchOf('a', 'b')).document(2), 'no document at position 2'],
  ['a position that is undefined', () => new BatchBytes(batchOf('a')).rest(wrong(undefined)), 'position undefined'],
  ['families without an answer', () => writeFamilies(undefined), 'does not say which of 2 documents failed'],
  ['families with a wrong position', () => writeFamilies([{ index: 2, message: 'm' }]), 'does not say which of 2'],
  ['families with texts as positions', () => writeFamilies([{ index: '0', message: 'm' }]), 'does not say which of 2'],
  [
    'a mark without a value',
    () => new DeletionMarks({ deletionMarkerField: 'x' }),
    'deletionMarkerFieldValue is undefined',
  ],
  [
    'a mark that is a boolean',
    () => new DeletionMarks({ deletionMarkerField: 'x', deletionMarkerFieldValue: wrong(true) }),
    'a boolean',
  ],
  [
    'a text as whitelist',
    () => new KeyedEncoder({ ...options, whitelist: wrong('id') }),
    'whitelist of KeyedEncoder is a string',
  ],
  ['no blacklist', () => new KeyedEncoder(wrong({ whitelist: [] })), 'blacklist of KeyedEncoder is undefined'],
  [
    'an id field that is no text',
    () => new KeyedEncoder({ ...options, idOverrideField: wrong(['id']) }),
    'idOverrideField of KeyedEncoder',
  ],
  [
    'a request that is not awaited',
    () => requireSuccess(wrong(Promise.resolve())),
    'requireSuccess() received [object Promise]',
  ],
  [
    'no list of bytes',
    async () => (await output()).write(wrong(Buffer.from('x'))),
    'received [object Uint8Array], not a list',
  ],
  ['texts as bytes', async () => (await output()).write(wrong(['x'])), 'not a list of Uint8Array'],
  ['no limit', () => new Storages({}).readContent('x', wrong(undefined)), 'The limit of readContent() is undefined'],
  [
    'a vector without a model',
    () => cachedVector(undefined, wrong(undefined), 't', async () => new Float32Array(1)),
    'The model of',
  ],
  [
    'a vector that is a list',
    () => cachedVector(undefined, 'm', 't', async () => wrong([1])),
    'got [object Array] from its',
  ],
  [
    'an empty vector',
    () => cachedVector(undefined, 'm', 't', async () => new Float32Array()),
    'got an empty vector from its',
  ],
  [
    'a format that is not async',
    () => publishFile({ publish: () => wrong(undefined) }, wrong({}), wrong({})),
    'not a promise',
  ],
  [
    'a format that publishes documents',
    () => held((publisher) => publisher.publish(Document.create('a'))),
    'must publish bytes',
  ],
  ['a chunk without bytes', () => heldChunk('GoodDecoder', { bytes: 'a' }), 'The bytes of a chunk are a string'],
  [
    'a chunk with a wrong number of documents',
    () => heldChunk('GoodDecoder', { documents: 2 }),
    'returned 1 record of a',
  ],
  ['an async decoder', () => heldChunk('LateDecoder'), 'decode() of LateDecoder returned a promise'],
  ['a decoder that passes no document', () => heldChunk('NoIdDecoder'), 'passed a document without an id'],
  [
    'a rejected record without a message',
    () => held((publisher) => publisher.reject(wrong({ place: 'x' }))),
    'undefined as message',
  ],
  [
    'a charset without a mark of the end',
    () => charsetDecoder('utf-8')?.decode(Buffer.of(0xc3), wrong(undefined)),
    'a boolean',
  ],
  ['a text for a charset', () => labelDecoder('latin1')?.decode(wrong('x'), true), 'received a string and a boolean'],
  ['bytes that are no Buffer', () => markedEncoding(wrong(Uint8Array.of(0xef, 0xbb, 0xbf))), 'not a Buffer'],
  ['bytes that are counted as text', () => replacements(wrong(new Uint8Array(3))), 'not a Buffer'],
])('refuses %s', async (_, act, message) => {
  const acting = (async () => act())();
  await expect(acting).rejects.toMatchObject({
    code: 'HR_COMPONENT_CONTRACT',
    message: expect.stringContaining(message),
  });
});

it('accepts what keeps the rules', async () => {
  expect(await deliver({})).toEqual([]);
  expect(await writeFamilies([])).toEqual([]);
  const chunk = { bytes: Buffer.from('a'), decoder: decoderIn('GoodDecoder'), position: 0, documents: 1 };
  // A format need not await its calls.
  expect(await held((publisher) => void publisher.publishChunk(chunk))).toEqual(['a']);
  const file = await output();
  await file.write([Buffer.from('x')]);
  expect(charsetDecoder('utf-8')?.decode(Buffer.from('é'), false)).toBe('é');
});
