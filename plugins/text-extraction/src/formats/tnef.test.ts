import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';

const u16 = (value: number) => Buffer.from([value & 255, value >> 8]);
const u32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);

/** Returns an attribute of TNEF. Its checksum is not read. */
const attribute = (id: number, content: Buffer) =>
  Buffer.concat([Buffer.from([1]), u16(id), u16(6), u32(content.length), content, u16(0)]);
const padded = (content: Buffer) =>
  Buffer.concat([u32(content.length), content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
const unicode = (id: number, text: string) =>
  Buffer.concat([u16(0x1f), u16(id), u32(1), padded(Buffer.from(`${text}\0`, 'utf16le'))]);
const bytes = (type: number, id: number, content: Buffer) =>
  Buffer.concat([u16(type), u16(id), u32(1), padded(content)]);
const properties = (...all: Buffer[]) => Buffer.concat([u32(all.length), ...all]);
const tnef = (...attributes: Buffer[]) => Buffer.concat([u32(0x223e9f78), u16(1), ...attributes]);
const start = attribute(0x9002, Buffer.alloc(14));

/** A property with a name and a time, which are not read. */
const named = Buffer.concat([
  u16(0x40),
  u16(0x8001),
  Buffer.alloc(16),
  u32(1),
  padded(Buffer.from('name\0', 'utf16le')),
  Buffer.alloc(8),
]);
const several = Buffer.concat([u16(0x1003), u16(0x0e00), u32(3), Buffer.alloc(12)]);

const MAIL = tnef(
  attribute(0x9007, Buffer.concat([u32(1251), u32(0)])),
  attribute(0x8004, Buffer.from([0xd2, 0xe5, 0xec, 0xe0, 0])),
  attribute(0x9003, properties(named, several, unicode(0x1000, 'Hello Bob.\nGrüße'), unicode(0x0c1a, 'Ann Author'))),
  start,
  attribute(0x8010, Buffer.from('NOTE~1.TXT\0')),
  attribute(0x800f, Buffer.from('An attached note.')),
  attribute(0x9005, properties(unicode(0x3707, 'a long name.txt'))),
  start,
  attribute(
    0x9005,
    properties(
      unicode(0x3707, 'object'),
      bytes(
        0x0d,
        0x3701,
        Buffer.concat([
          Buffer.alloc(16),
          tnef(attribute(0x8004, Buffer.from('Inner\0')), attribute(0x800c, Buffer.from('Inner text\0'))),
        ]),
      ),
    ),
  ),
);

it('reads a mail in the format of Outlook with its attachments, also inside another mail', async () => {
  const { text, metadata, notices } = await parsed(MAIL);
  expect({ text, notices }).toEqual({
    text: 'Hello Bob.\nGrüße\na long name.txt\nAn attached note.\nobject\nInner\nInner text\n',
    notices: [],
  });
  expect(Object.fromEntries(metadata)).toMatchObject({
    'dc:title': ['Тема'],
    'dc:creator': ['Ann Author'],
    'Message:Inner-Subject': ['Inner'],
    'Content-Type': ['application/vnd.ms-tnef'],
  });
});

it('reads the text of a mail that has only HTML', async () => {
  const html = tnef(attribute(0x9003, properties(bytes(0x102, 0x1013, Buffer.from('<p>Only <b>HTML</b></p>')))));
  expect((await parsed(html)).text).toBe('Only HTML\n');
});

it('keeps the text of a mail that is cut off, and reports it', async () => {
  const { text, problem } = await parsed(MAIL.subarray(0, -5));
  expect(text).toContain('An attached note.');
  expect(problem?.message).toBe('it ends inside of an attribute, so it is not complete');
});

it('ends for any damaged mail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(MAIL.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const copy = Buffer.from(MAIL);
      copy[at] = (copy[at] as number) ^ change;
      expect(await parsed(copy)).toHaveProperty('text');
    }),
    { numRuns: 200 },
  );
});
