import type { DocumentEncoder } from 'headrace/engine';
import { readDocument } from 'headrace/engine';
import { expect, it } from 'vitest';
import { ObjectEncoder } from './object-encoder.ts';
import { PineconeEncoder } from './pinecone-encoder.ts';

const common = {
  whitelist: [],
  blacklist: [],
  idOverrideField: 'key',
  deletionMarkerField: 'del',
  deletionMarkerFieldValue: 'yes',
};
const encoders: readonly (readonly [string, DocumentEncoder])[] = [
  [
    'Weaviate and Qdrant',
    new ObjectEncoder({ ...common, fields: 'f', start: '', idName: 'id', vector: undefined, vectorRequired: false }),
  ],
  ['Pinecone', new PineconeEncoder({ ...common, vectorFields: [], metadataFields: [], nativeMetadata: false })],
];

it.each(encoders)('%s fail a document, or a delete, whose id would be empty', (_, encoder) => {
  const encode = (fields: object) => String(encoder.encode(readDocument(JSON.stringify({ id: '1', ...fields }))));
  expect(encode({ key: 'k' })).toMatch(/^\{"id":"k"\}\n/);
  expect(encode({})).toMatch(/^\{"id":"1"\}\n/);
  expect(encode({ key: 'k', del: 'yes' })).toBe('{"id":"k","delete":true}\n');
  const message = 'The field key for the id (indexer.idOverrideField) is empty';
  expect(() => encode({ key: '' })).toThrow(message);
  expect(() => encode({ key: '', del: 'yes' })).toThrow(message);
});
