import { Document, type DocumentEncoder, DocumentTable } from '@headrace/engine';
import { expect, it } from 'vitest';
import { PostgresEncoder } from '../postgres-index/postgres-encoder.ts';
import { BulkEncoder } from '../search-engine/bulk-encoder.ts';
import { SolrEncoder } from '../solr/solr-encoder.ts';
import { KeyedEncoder } from './keyed-encoder.ts';

const fields = { whitelist: [], blacklist: [] };
const cases: [string, DocumentEncoder, string][] = [
  [
    'search engines',
    new BulkEncoder({ ...fields, index: 'i', update: false }),
    '{"delete":{"_id":"1","_index":"i"}}\n',
  ],
  ['Solr', new SolrEncoder({ ...fields, collection: 'c' }), '{"collection":"c","id":"1"}\n"delete":{"id":"1"}\n'],
  ['Postgres', new PostgresEncoder({ ...fields, idColumn: 'id' }), '-"1"\n'],
  ['Kafka', new KeyedEncoder(fields), '{"id":"1","delete":true}\n'],
  [
    'HTTP without deleteUrl',
    new KeyedEncoder({ ...fields, deletes: false }),
    '{"id":"1"}\n{"id":"1","kafka_deleted":true}\n',
  ],
];

it.each(cases)('a delete that its connector requests needs no setting of the indexer: %s', (_, encoder, expected) => {
  const document = Document.create('1');
  document.set('kafka_deleted', true);
  document.requestDelete();
  expect(encoder.encode(document)).toBe(expected);
});

it.each(cases.filter(([, { encodeTable }]) => encodeTable !== undefined))(
  'a table with a delete is not written as documents: %s',
  (_, encoder) => {
    const table = (names: readonly string[]) => new DocumentTable(names, [['1'], ['delete']], 1);
    expect(encoder.encodeTable?.(table(['id', 'title']))).toHaveLength(1);
    expect(() => encoder.encodeTable?.(table(['id', '___skipped']))).toThrow('must be encoded one at a time');
  },
);
