import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DataRowCollector } from './data-row-collector.ts';

const ROW = 'D'.charCodeAt(0);

function message(code: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header[0] = code;
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

it('collects complete rows for any cut of the stream, and passes on all other messages', () => {
  const anyMessage = fc.record({
    code: fc.constantFrom(ROW, ROW, ROW, 'C'.charCodeAt(0), 'Z'.charCodeAt(0)),
    body: fc.uint8Array({ maxLength: 40 }),
  });
  fc.assert(
    fc.property(
      fc.array(anyMessage, { maxLength: 30 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 60 })),
      (all, sizes) => {
        const messages = all.map(({ code, body }) => message(code, body));
        const stream = Buffer.concat(messages);
        const others: Buffer[] = [];
        const rows: Buffer[] = [];
        let count = 0;
        const collector = new DataRowCollector((bytes) => others.push(Buffer.from(bytes)));
        collector.onRows = (bytes, number) => {
          rows.push(Buffer.from(bytes));
          count += number;
        };
        for (let at = 0; at < stream.length; ) {
          const { value: size } = sizes.next();
          collector.push(stream.subarray(at, at + (size as number)));
          if ((size as number) % 3 === 0) collector.flush();
          at += size as number;
        }
        collector.flush();
        const isRow = (one: Buffer) => one[0] === ROW;
        expect(Buffer.concat(rows)).toEqual(Buffer.concat(messages.filter(isRow)));
        expect(count).toBe(messages.filter(isRow).length);
        expect(Buffer.concat(others)).toEqual(Buffer.concat(messages.filter((one) => !isRow(one))));
      },
    ),
  );
});

it('passes on large chunks that end with a row, and grows for a row that is larger', () => {
  const sizes: number[] = [];
  let count = 0;
  const collector = new DataRowCollector(() => undefined);
  collector.onRows = (bytes, rows) => {
    sizes.push(bytes.length);
    count += rows;
  };
  const small = message(ROW, new Uint8Array(995));
  for (let i = 0; i < 2000; i++) collector.push(small);
  const large = message(ROW, new Uint8Array(3_000_000));
  for (let at = 0; at < large.length; at += 65_536) collector.push(large.subarray(at, at + 65_536));
  collector.flush();
  expect(count).toBe(2001);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(2000 * 1000 + large.length);
  expect(sizes.length).toBeLessThan(10);
});

it.each([0, 1, 3, 5, 65_536])('announces a large message, and its end, if it is cut at %i', (first) => {
  const events: (number | string)[] = [];
  const collector = new DataRowCollector(() => undefined);
  collector.onLarge = (bytes) => events.push(bytes);
  const large = message(ROW, new Uint8Array(2_000_000));
  collector.push(message(ROW, new Uint8Array(1000)));
  collector.push(large.subarray(0, first));
  collector.push(large.subarray(first, 1_000_000));
  events.push('more');
  collector.push(Buffer.concat([large.subarray(1_000_000), message(ROW, new Uint8Array(10))]));
  expect(events).toEqual([expect.closeTo(2_000_004, -1), 'more', 0]);
});

it('passes rows to the driver if no receiver is set', () => {
  const others: Buffer[] = [];
  const collector = new DataRowCollector((bytes) => others.push(Buffer.from(bytes)));
  const row = message(ROW, new Uint8Array(10));
  collector.push(row.subarray(0, 3));
  collector.push(row.subarray(3));
  expect(Buffer.concat(others)).toEqual(row);
});
