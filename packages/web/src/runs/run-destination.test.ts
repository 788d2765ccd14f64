import { expect, it } from 'vitest';
import { runDestination } from './run-destination.ts';

it('the destination is the index and the address of the config, with the overrides of the run', () => {
  const text = 'indexer { type: OpenSearch }\nopensearch { url: "https://me:secret@search:9200", index: products }';
  expect(runDestination(text)).toEqual({ place: 'products', address: 'https://search:9200' });
  expect(runDestination(text, { opensearch: { index: 'other' } })).toEqual({
    place: 'other',
    address: 'https://search:9200',
  });
});

it('Solr has its collection in the address, and a file has a path', () => {
  expect(runDestination('indexer.type = solr, solr { url: ["http://a/solr/films", "http://b"] }')).toEqual({
    place: undefined,
    address: 'http://a/solr/films',
  });
  expect(runDestination('indexer.type: JSONLines, jsonl.path: out.jsonl')).toEqual({
    place: undefined,
    address: 'out.jsonl',
  });
});

it('a config that writes nothing, or is invalid, has no destination', () => {
  expect(runDestination('indexer { type: Nop }')).toBeUndefined();
  expect(runDestination('indexer { type: JSONLines, sendEnabled: false }, jsonl { path: a }')).toBeUndefined();
  expect(runDestination('indexer { type: ')).toBeUndefined();
});
