import { unicodeText } from '@headrace/testing/unicode-text';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { inIndex, splitActionLine } from './action-line.ts';

const names = unicodeText();

it('an action line for another index has the same id, routing and version', () => {
  fc.assert(
    fc.property(
      names,
      names,
      fc.option(names, { nil: undefined }),
      fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), { nil: undefined }),
      (id, index, routing, version) => {
        const before = version === undefined ? '' : `"version":${version},"version_type":"external",`;
        const after = routing === undefined ? '' : `,"routing":${JSON.stringify(routing)}`;
        const lineFor = (name: string) =>
          `{"index":{${before}"_id":${JSON.stringify(id)},"_index":${JSON.stringify(name)}${after}}}\n{"a":"_id"}\n`;
        expect(inIndex(Buffer.from(lineFor('a')), index).toString()).toBe(Buffer.from(lineFor(index)).toString());
      },
    ),
  );
});

it('identifies a document by its id and its routing', () => {
  const documentOf = (id: string, index: string, routing = '') =>
    splitActionLine(`{"delete":{"_id":"${id}","_index":"${index}"${routing}}}`).document;
  expect(documentOf('1', 'a')).toBe(documentOf('1', 'b'));
  expect(documentOf('1', 'a')).not.toBe(documentOf('2', 'a'));
  expect(documentOf('1', 'a', ',"routing":"x"')).not.toBe(documentOf('1', 'a'));
});
