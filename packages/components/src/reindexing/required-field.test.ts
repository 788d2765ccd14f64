import { describe, expect, it } from 'vitest';
import { requiredField } from './required-field.ts';

const keyword = { type: 'keyword' };
const unindexed = { type: 'keyword', index: false, doc_values: false };
const mappings = {
  dynamic: 'strict',
  runtime: { day: { type: 'keyword' }, 'seller.day': { type: 'keyword' } },
  properties: {
    title: { type: 'text', fields: { raw: keyword, hidden: unindexed } },
    seller: { properties: { name: keyword, offers: { type: 'nested', properties: { price: { type: 'float' } } } } },
    variants: {
      type: 'nested',
      include_in_parent: true,
      properties: {
        color: keyword,
        size: { properties: { eu: { type: 'integer' } } },
        images: { type: 'nested', properties: { url: { ...keyword, index: false }, raw: unindexed } },
        colour: { type: 'alias', path: 'variants.color' },
        labels: { type: 'flattened' },
      },
    },
    off: { type: 'object', enabled: false },
    loose: { dynamic: 'false', properties: { known: keyword } },
    secret: unindexed,
    kept: { ...unindexed, store: true },
    picture: { type: 'binary' },
    unread: { type: 'text', index: false },
    labels: { type: 'flat_object' },
    heading: { type: 'alias', path: 'title.raw' },
    'dotted.name': keyword,
    'dotted.list': { type: 'nested', properties: { a: keyword } },
    relation: { type: 'join', relations: { question: 'answer' } },
    vector: { type: 'dense_vector', dims: 2, index: false },
  },
};
const exists = (field: string) => ({ exists: { field } });
const nested = (path: string, query: object) => ({ nested: { path, query } });

describe('the query for documents with a required field', () => {
  it.each([
    ['title', exists('title')],
    ['title.raw', exists('title.raw')],
    ['seller.name', exists('seller.name')],
    ['day', exists('day')],
    ['seller.day', exists('seller.day')],
    ['variants.color', nested('variants', exists('variants.color'))],
    ['variants.size.eu', nested('variants', exists('variants.size.eu'))],
    ['variants.labels.any.key', nested('variants', exists('variants.labels.any.key'))],
    ['variants.colour', nested('variants', exists('variants.color'))],
    ['variants.images.url', nested('variants', nested('variants.images', exists('variants.images.url')))],
    ['seller.offers.price', nested('seller.offers', exists('seller.offers.price'))],
    ['variants', nested('variants', { match_all: {} })],
    ['variants.images', nested('variants', nested('variants.images', { match_all: {} }))],
    [
      'seller',
      { bool: { should: [exists('seller'), nested('seller.offers', { match_all: {} })], minimum_should_match: 1 } },
    ],
    ['labels.any', exists('labels.any')],
    ['heading', exists('title.raw')],
    ['dotted.name', exists('dotted.name')],
    ['dotted.list.a', nested('dotted.list', exists('dotted.list.a'))],
    ['relation', exists('relation')],
    ['vector', exists('vector')],
    ['kept', exists('kept')],
    ['loose.known', exists('loose.known')],
    ['missing', exists('missing')],
    ['seller.missing', exists('seller.missing')],
    ['variants.missing', nested('variants', exists('variants.missing'))],
  ])('%s', (field, query) => {
    expect(requiredField(mappings, field)).toEqual({ query });
  });

  it.each([
    ['off', 'off has enabled: false'],
    ['off.a.b', 'off has enabled: false'],
    ['secret', 'secret (keyword) has neither an index nor doc values'],
    ['title.hidden', 'title.hidden (keyword) has neither'],
    ['variants.images.raw', 'variants.images.raw (keyword) has neither'],
    ['picture', 'picture (binary) has neither'],
    ['unread', 'unread (text) has neither'],
    ['loose.other', 'loose.other is not in the mapping, and dynamic is false there'],
  ])('is missing for %s', (field, because) => {
    expect(requiredField(mappings, field)).toEqual({ because: expect.stringContaining(because) });
  });

  it('is missing for all fields if the mapping is not enabled or not dynamic', () => {
    expect(requiredField({ enabled: false }, 'a')).toEqual({ because: expect.stringContaining('enabled: false') });
    expect(requiredField({ dynamic: false }, 'a')).toEqual({ because: expect.stringContaining('dynamic is false') });
    expect(requiredField({}, 'a')).toEqual({ query: exists('a') });
  });
});
