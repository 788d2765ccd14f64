import { createRequire } from 'node:module';
import { container, numbers, record } from './pictures.ts';

interface Cfb {
  utils: { cfb_new(): object; cfb_add(container: object, path: string, content: Uint8Array): void };
  write(container: object, options: { type: 'buffer' }): Buffer;
}

/** Returns an OLE file with streams. */
export function oleFile(streams: Readonly<Record<string, Uint8Array>>): Buffer {
  const { CFB } = createRequire(import.meta.url)('@e965/xlsx') as { CFB: Cfb };
  const container = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(container, `/${path}`, content);
  return CFB.write(container, { type: 'buffer' });
}

/** Returns a file of Word 6 with a text. */
export function word6File(text: string): Buffer {
  const head = Buffer.alloc(768);
  head.writeUInt16LE(0xa5dc, 0);
  head.writeUInt32LE(768, 24);
  head.writeUInt32LE(768 + text.length, 28);
  return oleFile({ WordDocument: Buffer.concat([head, Buffer.from(text, 'latin1')]) });
}

/**
 * Returns a file of Word 97: a text in two pieces, in windows-1252 and UTF-16, and a text file as an embedded object.
 * The text is in one part, and has no properties.
 */
export function word97File(first: string, second: string, isEncrypted = false): Buffer {
  const head = Buffer.alloc(1024);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt16LE(isEncrypted ? 0x100 : 0, 10);
  head.writeUInt32LE(first.length + second.length, 76);
  const pieces = Buffer.concat([
    numbers(0, first.length, first.length + second.length),
    Buffer.from([0, 0]),
    numbers(0x4000_0000 + 1024 * 2),
    Buffer.from([0, 0, 0, 0]),
    numbers(1024 + first.length),
    Buffer.from([0, 0]),
  ]);
  const table = Buffer.concat([Buffer.from([2]), numbers(pieces.length), pieces]);
  head.writeUInt32LE(0, 418);
  head.writeUInt32LE(table.length, 422);
  const native = Buffer.concat([
    Buffer.alloc(6),
    Buffer.from('note.txt\0C:\\note.txt\0\0\0\0\0'),
    numbers(1),
    Buffer.from('\0'),
    numbers(5),
    Buffer.from('inner'),
  ]);
  return oleFile({
    WordDocument: Buffer.concat([head, Buffer.from(first, 'latin1'), Buffer.from(second, 'utf16le')]),
    '0Table': table,
    'ObjectPool/_1/\u0001Ole10Native': native,
  });
}

/** Returns a presentation of PowerPoint 97 with one slide: a title from the outline, a text box, and pictures. */
export function powerPoint97File(title: string, box: string, pictures: Uint8Array = Buffer.alloc(0)): Buffer {
  const outline = [
    record(0x03f3, numbers(2, 0, 0, 256, 0)),
    record(0x0f9f, numbers(0)),
    record(0x0fa0, Buffer.from(title, 'utf16le')),
  ];
  const document = container(0x03e8, container(0x0ff0, ...outline));
  const slide = container(
    0x03ee,
    container(0xf004, record(0xf00d, record(0x0f9e, numbers(0)))),
    container(0xf004, record(0xf00d, Buffer.concat([record(0x0f9f, numbers(4)), record(0x0fa8, Buffer.from(box))]))),
  );
  const directoryAt = document.length + slide.length;
  const directory = record(0x1772, numbers((2 << 20) | 1, 0, document.length));
  const edit = record(0x0ff5, numbers(256, 0, 0, directoryAt, 1, 2, 0));
  return oleFile({
    'Current User': Buffer.concat([Buffer.alloc(8), numbers(20, 0xe391c05f, directoryAt + directory.length, 0)]),
    'PowerPoint Document': Buffer.concat([document, slide, directory, edit]),
    Pictures: pictures,
  });
}
