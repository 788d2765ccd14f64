import { posix } from 'node:path';
import { random } from './sample-documents.mjs';

const vector = (length) =>
  Array.from({ length }, () => (random(2000) - 1000) / 1024 + 0.00001).map((x) => Number(x.toFixed(5)));

/** Stages that read JSON, paths and files, or create new documents from documents. */
export const structureWork = {
  ApplyFileHandlers: () => ({
    params: { fileHandlers: { csv: { idField: 'sku' } } },
    fields: (i) => ({
      file_path: `prices-${i}.csv`,
      file_content: Buffer.from(
        `sku,name,color,price\n${Array.from({ length: 10 }, (_, row) => `${i}-${row},Paper boat ${row},blue,${random(100)}\n`).join('')}`,
      ),
    }),
    byHand(record) {
      const [header, ...lines] = Buffer.from(record.file_content.buffer).toString().split('\n');
      const names = header.split(',');
      const rows = [];
      for (const [i, line] of lines.entries()) {
        if (line === '') continue;
        const cells = line.split(',');
        const row = { id: cells[0], source: record.file_path, filename: record.file_path };
        for (let column = 0; column < names.length; column++) row[names[column]] = cells[column];
        row.csvLineNumber = i + 1;
        rows.push(row);
      }
      return rows;
    },
  }),

  Base64Decode: () => ({
    params: { inputField: 'content', outputField: 'bytes' },
    fields: () => ({ content: Buffer.alloc(3000, 'report ').toString('base64') }),
    byHand(record) {
      record.bytes = Buffer.from(record.content, 'base64');
    },
  }),

  CollapseChildrenDocuments: () => ({
    params: { fieldsToCopy: ['chapter'], dropChildren: true },
    fields: chapters,
    asMaps: true,
    byHand(record) {
      record.set(
        'chapter',
        record.get('___children').map((child) => child.chapter),
      );
      record.delete('___children');
    },
  }),

  CreateChildrenStage: () => ({
    params: { numChildren: 3 },
    byHand(record) {
      return [1, 2, 3].map((number) => ({ id: `${record.id}_child${number}` }));
    },
  }),

  EmitNestedChildren: () => ({
    params: { fieldsToCopy: { id: 'book', title: 'book_title' } },
    fields: chapters,
    asMaps: true,
    byHand(record) {
      const children = record.get('___children');
      for (const child of children) {
        child.book = record.get('id');
        child.book_title = record.get('title');
      }
      record.delete('___children');
      return children;
    },
  }),

  ParseFilePath: () => ({
    params: { fileSep: '/' },
    byHand(record) {
      const path = posix.normalize(record.file_path);
      const { dir, base, ext } = posix.parse(path);
      record.filename = [base];
      record.folder = [dir];
      record.path = [path];
      record.file_extension = [ext.slice(1).toUpperCase()];
      const parts = dir.slice(1).split('/');
      record.file_paths = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    },
  }),

  ParseFloats: () => ({
    params: { field: 'text', dest: 'vector' },
    fields: () => ({ text: JSON.stringify(vector(128)) }),
    byHand(record) {
      record.vector = JSON.parse(record.text);
    },
  }),

  ParseJson: () => ({
    params: { src: 'json' },
    fields: () => ({ json: JSON.stringify(order()) }),
    byHand(record) {
      Object.assign(record, JSON.parse(record.json));
    },
  }),

  'ParseJson with paths': () => ({
    params: { src: 'json', jsonFieldPaths: { city: '$.address.city', prices: '$.items[*].price' } },
    fields: () => ({ json: JSON.stringify(order()) }),
    byHand(record) {
      const { address, items } = JSON.parse(record.json);
      record.city = address.city;
      record.prices = items.map((item) => item.price);
    },
  }),
};

function chapters(i) {
  return {
    ___children: Array.from({ length: 5 }, (_, n) => ({
      id: `${i}-${n}`,
      chapter: `Chapter ${n}`,
      page: n * 20,
      text: 'Down the rabbit hole she went.',
    })),
  };
}

/** About 900 characters of JSON. */
export function order() {
  return {
    customer: 'Ann Lee',
    address: { street: 'Main Street 5', city: 'Oslo', zip: '0150' },
    items: Array.from({ length: 10 }, (_, i) => ({
      sku: `A-${random(10000)}`,
      name: `Paper boat ${i}`,
      quantity: 1 + random(5),
      price: random(1000) / 10 + 0.05,
    })),
    notes: ['fragile', 'call before delivery', null],
    paid: true,
  };
}
