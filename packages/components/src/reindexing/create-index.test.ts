import { expect, it } from 'vitest';
import { createIndex } from './create-index.ts';
import { IndexAdmin, type IndexRequest } from './index-admin.ts';

/** Answers the requests about an index with the field `a` of the type `text`. */
function adminOf(refuse: { readonly status: number; readonly reason: string }): IndexAdmin {
  const mapping = { type: 'text' };
  const answerTo = ({ method, path }: IndexRequest): [status: number, body: object] => {
    if (method === 'PUT') return [refuse.status, { error: { reason: refuse.reason } }];
    if (path.includes('/_settings')) return [200, { i: { settings: {} } }];
    if (path.includes('/_mapping/field'))
      return [200, { i: { mappings: { a: { full_name: 'a', mapping: { a: mapping } } } } }];
    return [200, { i: { mappings: { properties: { a: mapping } } } }];
  };
  return new IndexAdmin({
    address: 'http://search',
    request: async (request) => {
      const [status, body] = answerTo(request);
      return { status, body: Buffer.from(JSON.stringify(body)) };
    },
    close: async () => {},
  });
}

it.each([
  [400, 'A field of an existing index keeps its type. Build a new index with rebuild, or change create.mappings.'],
  [403, undefined],
])('the refusal of a changed mapping with %s has a hint only if the mapping is the cause', async (status, hint) => {
  const mappings = { properties: { a: { type: 'keyword' } } };
  const log = { info: () => {}, warn: () => {} };
  const admin = adminOf({ status, reason: 'mapper [a] cannot be changed from type [text] to [keyword]' });
  const changed = createIndex(admin, 'i', { settings: {}, mappings, named: [] }, true, log);
  await expect(changed).rejects.toMatchObject({
    hint,
    message: expect.stringContaining('mapper [a] cannot be changed'),
  });
});
