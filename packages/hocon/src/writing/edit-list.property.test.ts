import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainValue, TextChange } from '../index.ts';
import { applyChanges, insertItem, moveItem, parse, parseSyntax, removeItem, removeKey, setAt } from '../index.ts';

/** An element of a list, with the comments that belong to it and the text after it. */
interface Written {
  value: number;
  text: string;
  above: string;
  beside: string;
  comma: string;
  mid: string;
}

const layout = fc.record({
  lines: fc.boolean(),
  newline: fc.constantFrom('\n', '\r\n'),
  trailing: fc.boolean(),
  json: fc.boolean(),
  wrapped: fc.boolean(),
});

const item = fc.record({
  shape: fc.constantFrom('number', 'object', 'tall'),
  above: fc.integer({ min: 0, max: 2 }),
  beside: fc.boolean(),
  comma: fc.boolean(),
  detached: fc.boolean(),
  spaced: fc.boolean(),
});

type Layout = typeof layout extends fc.Arbitrary<infer T> ? T : never;
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never;

/** Returns a config with one list `l` of this layout. The comments of element 3 are named `above3` and `beside3`. */
function written({ lines, newline, trailing, json, wrapped }: Layout, items: readonly Item[]): string {
  const indent = wrapped ? '    ' : '  ';
  const br = `${newline}${indent}`;
  const texts = items.map((one, i): Written => {
    const isLast = i === items.length - 1;
    const object = json ? `{"v": ${i}}` : `{v = ${i}}`;
    const tall = json ? `{${br}  "v": ${i}${br}}` : `{${br}  v = ${i} // inside${i}${br}}`;
    const text = { number: `${i}`, object, tall }[one.shape];
    const commented = !json && lines;
    const above = commented ? `# above${i}${br}`.repeat(one.above) : '';
    const beside = commented && one.beside ? ` # beside${i}` : '';
    const comma = isLast ? trailing && !json : json || !lines || one.comma;
    const blank = lines && one.spaced ? newline : '';
    const detached = commented && one.detached && !isLast ? `${newline}${br}// detached${i}${newline}` : '';
    const mid = isLast ? '' : lines ? `${detached}${blank}${br}` : ' ';
    return { value: i, text, above, beside, comma: comma ? ',' : '', mid };
  });
  const inner = texts.map(({ above, text, comma, beside, mid }) => above + text + comma + beside + mid).join('');
  const outer = wrapped ? '  ' : '';
  const open = lines && items.length > 0 ? br : '';
  const close = lines && items.length > 0 ? `${newline}${outer}` : '';
  const list = `[${open}${inner}${close}]`;
  if (json) return wrapped ? `{${newline}  "l": ${list},${newline}  "z": 1${newline}}` : `{"l": ${list}, "z": 1}`;
  return wrapped
    ? `{${newline}  l = ${list}${newline}  z = 1${newline}}`
    : `# head${newline}${newline}l = ${list}${newline}z = 1`;
}

function parsed(text: string): { [key: string]: PlainValue } {
  const { value, problems } = parse(text);
  expect(problems, text).toEqual([]);
  return value;
}

function listIn(text: string): PlainValue[] {
  return parsed(text)['l'] as PlainValue[];
}

function commentsOf(text: string): string[] {
  return parseSyntax(text)
    .comments.map(({ from, to }) => text.slice(from, to))
    .sort();
}

function edited(text: string, changes: readonly TextChange[], { json }: Layout): string {
  const result = applyChanges(text, changes);
  // All lines end in the same way as before.
  if (text.includes('\r\n')) expect(result).not.toMatch(/[^\r]\n/);
  if (json) expect(() => JSON.parse(result), result).not.toThrow();
  expect(parsed(result)['z']).toBe(1);
  return result;
}

const items = fc.array(item, { maxLength: 5 });
const someItems = fc.array(item, { minLength: 1, maxLength: 5 });
const newValue = fc.oneof(fc.integer(), fc.string(), fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }));

describe('edits of lists', () => {
  it('insert an element, keep all comments, and can be undone by removing it', () => {
    fc.assert(
      fc.property(layout, items, fc.nat(), newValue, (layout, items, at, value) => {
        const text = written(layout, items);
        const index = at % (items.length + 1);
        const after = edited(text, insertItem(text, ['l'], index, value), layout);
        expect(listIn(after)).toEqual(listIn(text).toSpliced(index, 0, value));
        expect(commentsOf(after)).toEqual(commentsOf(text));
        expect(edited(after, removeItem(after, ['l'], index), layout)).toBe(text);
      }),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('remove an element with its own comments only', () => {
    fc.assert(
      fc.property(layout, someItems, fc.nat(), (layout, items, at) => {
        const text = written(layout, items);
        const index = at % items.length;
        const after = edited(text, removeItem(text, ['l'], index), layout);
        expect(listIn(after)).toEqual(listIn(text).toSpliced(index, 1));
        const own = new Set([`# above${index}`, `# beside${index}`, `// inside${index}`]);
        expect(commentsOf(after)).toEqual(commentsOf(text).filter((comment) => !own.has(comment)));
      }),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('move an element with all its comments, and back', () => {
    fc.assert(
      fc.property(layout, someItems, fc.nat(), fc.nat(), (layout, items, from, to) => {
        const text = written(layout, items);
        const [a, b] = [from % items.length, to % items.length];
        const after = edited(text, moveItem(text, ['l'], a, b), layout);
        const before = listIn(text);
        expect(listIn(after)).toEqual(before.toSpliced(a, 1).toSpliced(b, 0, before[a]!));
        expect(commentsOf(after)).toEqual(commentsOf(text));
        for (const i of items.keys()) {
          const order = [`above${i}`, `v = ${i}`, `beside${i}`]
            .map((part) => after.indexOf(part))
            .filter((x) => x >= 0);
          expect(order).toEqual(order.toSorted((x, y) => x - y));
        }
        expect(edited(after, moveItem(after, ['l'], b, a), layout)).toBe(text);
      }),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('return changes in order and without overlaps', () => {
    fc.assert(
      fc.property(layout, someItems, fc.nat(), fc.nat(), (layout, items, from, to) => {
        const text = written(layout, items);
        let at = 0;
        for (const change of moveItem(text, ['l'], from % items.length, to % items.length)) {
          expect(change.from).toBeGreaterThanOrEqual(at);
          expect(change.to).toBeGreaterThanOrEqual(change.from);
          at = change.to;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('edits of objects', () => {
  it('set a field of an element and remove it again', () => {
    fc.assert(
      fc.property(
        layout,
        someItems,
        fc.nat(),
        fc.string({ minLength: 1 }),
        newValue,
        (layout, items, at, key, value) => {
          const text = written(layout, items);
          const index = at % items.length;
          fc.pre(items[index]!.shape !== 'number' && key !== 'v');
          const after = edited(text, setAt(text, ['l', index, key], value), layout);
          const wanted = { v: index, [key]: value };
          expect(listIn(after)).toEqual(listIn(text).with(index, wanted));
          expect(commentsOf(after)).toEqual(commentsOf(text));
          expect(edited(after, removeKey(after, ['l', index, key]), layout)).toBe(text);
        },
      ),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('replace a value in place', () => {
    fc.assert(
      fc.property(layout, someItems, fc.nat(), newValue, (layout, items, at, value) => {
        const text = written(layout, items);
        const index = at % items.length;
        const after = edited(text, setAt(text, ['l', index], value), layout);
        expect(listIn(after)).toEqual(listIn(text).with(index, value));
        const lost = `// inside${index}`;
        expect(commentsOf(after)).toEqual(commentsOf(text).filter((comment) => comment !== lost));
      }),
    );
  });
});
