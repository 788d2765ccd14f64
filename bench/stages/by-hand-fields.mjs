import { closeSync, openSync, writeSync } from 'node:fs';

/** Stages that move, count and mark fields. */
export const fieldWork = {
  ComputeFieldSize: () => ({
    params: { source: 'content', dest: 'size' },
    fields: () => ({ content: Buffer.alloc(3000, 'report ').toString('base64') }),
    byHand(record) {
      record.size = Buffer.byteLength(record.content, 'base64');
    },
  }),

  CopyFields: () => ({
    params: { fieldMapping: { title: 'headline', author: 'creator' } },
    byHand(record) {
      record.headline = record.title;
      record.creator = record.author;
    },
  }),

  DeleteFields: () => ({
    params: { fields: ['url', 'file_path'] },
    asMaps: true,
    byHand(record) {
      record.delete('url');
      record.delete('file_path');
    },
  }),

  DropDocument: () => ({
    params: {},
    byHand(record) {
      record.___dropped = true;
    },
  }),

  DropValues: () => {
    const dropped = new Set(['sea', 'winter']);
    return {
      params: { source: ['tags'], values: ['sea', 'winter'] },
      asMaps: true,
      byHand(record) {
        const kept = record.get('tags').filter((tag) => !dropped.has(tag));
        if (kept.length > 0) record.set('tags', kept);
        else record.delete('tags');
      },
    };
  },

  HashFieldValueToBucket: () => {
    const buckets = ['A', 'B', 'C', 'D'];
    return {
      params: { fieldName: 'id', dest: 'variant', buckets },
      byHand(record) {
        const { id } = record;
        let hash = 0;
        for (let i = 0; i < id.length; i++) hash = (31 * hash + id.charCodeAt(i)) | 0;
        record.variant = buckets[Math.abs(hash % buckets.length)];
      },
    };
  },

  Length: () => ({
    params: { fieldMapping: { tags: 'tag_count', author: 'author_count' } },
    byHand(record) {
      record.tag_count = record.tags.length;
      record.author_count = 1;
    },
  }),

  NormalizeFieldNames: () => ({
    params: {},
    fields: (i) => ({ 'Unit Price': i, 'e-mail': 'ann@example.com' }),
    asMaps: true,
    byHand(record) {
      const fields = [...record];
      record.clear();
      for (const [name, value] of fields) record.set(name.replace(/ /g, '_').replace(/[^\w.]/g, ''), value);
    },
  }),

  Print: (directory) => {
    const file = openSync(`${directory}/by-hand.jsonl`, 'w');
    process.on('exit', () => closeSync(file));
    let buffer = '';
    return {
      params: { shouldLog: false, outputFile: `${directory}/print.jsonl` },
      byHand(record) {
        buffer += `${JSON.stringify(record)}\n`;
        if (buffer.length < 64 * 1024) return;
        writeSync(file, buffer);
        buffer = '';
      },
    };
  },

  RemoveDuplicateValues: () => ({
    params: { fieldMapping: { tags: 'distinct_tags' } },
    byHand(record) {
      record.distinct_tags = [...new Set(record.tags)];
    },
  }),

  RemoveEmptyFields: () => ({
    params: {},
    fields: () => ({ url: '', category: null }),
    asMaps: true,
    byHand(record) {
      for (const [name, value] of record) {
        if (value === '' || value === null || (Array.isArray(value) && value.length === 0)) record.delete(name);
      }
    },
  }),

  RenameFields: () => ({
    params: { fieldMapping: { url: 'link', author: 'creator' } },
    asMaps: true,
    byHand(record) {
      record.set('link', record.get('url'));
      record.delete('url');
      record.set('creator', record.get('author'));
      record.delete('author');
    },
  }),

  SetStaticValues: () => ({
    params: { staticValues: { source: 'wiki', batch: 7 } },
    byHand(record) {
      record.source = 'wiki';
      record.batch = 7;
    },
  }),

  SkipDocument: () => ({
    params: {},
    byHand(record) {
      record.___skipped = true;
    },
  }),

  Timestamp: () => ({
    params: { destField: 'processed_at' },
    random: true,
    byHand(record) {
      record.processed_at = new Date().toISOString();
    },
  }),
};
