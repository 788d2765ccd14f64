import { fileURLToPath } from 'node:url';
import { fieldsAtEnd } from './program.mjs';

/** A maker for each brand. */
const MAKERS = fileURLToPath(new URL('./makers.csv', import.meta.url));

const DATA = {
  form: 'csv',
  columns: 10,
  alphabet: 'ascii',
  quoted: false,
  inside: [],
  long: false,
  empty: false,
  separator: ';',
  grade: false,
};

/** The nine stages of ../csv-data.mjs. */
const STAGES = [
  { class: 'RenameFields', fieldMapping: { sku: 'product_id', url: 'link' } },
  { class: 'TrimWhitespace', fields: ['title', 'brand'] },
  { class: 'CopyFields', fieldMapping: { title: 'title_copy' } },
  { class: 'SplitFieldValues', inputField: 'tags', outputField: 'tag_list', delimiter: ';', trimWhitespace: true },
  { class: 'ApplyRegex', source: ['created'], dest: ['year'], regex: '^(\\d{4})-' },
  { class: 'Concatenate', dest: 'label', formatString: '{brand}: {category}' },
  { class: 'SetStaticValues', staticValues: { source_system: 'shop', batch: 7 } },
  { class: 'NormalizeText', source: ['category'], dest: ['category'], mode: 'lowercase' },
  { class: 'DeleteFields', fields: ['description', 'title_copy'] },
];

const brands = (count) => [{ fields: ['brand'], values: Array.from({ length: count }, (_, i) => `Brand ${i}`) }];
const CONDITIONS = { TrimWhitespace: brands(250), NormalizeText: brands(250), Concatenate: brands(50) };

/** The differences from the nine-stage job. */
const VARIANTS = {
  plain: {},
  'split in place': {
    data: { quoted: true, inside: ['quotes', 'commas'], separator: '|' },
    idField: 'sku',
    change: (stage) => (stage.class === 'SplitFieldValues' ? { ...stage, outputField: 'tags', delimiter: '|' } : stage),
  },
  conditions: {
    change: (stage) => (stage.class in CONDITIONS ? { ...stage, conditions: CONDITIONS[stage.class] } : stage),
  },
  CJK: { data: { alphabet: 'cjk' } },
  '50 columns': { data: { columns: 50 } },
  quoted: { data: { quoted: true } },
  'updateMode append': {
    change: (stage) =>
      stage.class === 'Concatenate' ? { ...stage, dest: 'description', updateMode: 'append' } : keepDescription(stage),
  },
  ReplacePatterns: {
    more: [
      { class: 'ReplacePatterns', source: ['title'], dest: ['title'], regex: ['[,;.!?]', '\\s+'], replacement: ' ' },
    ],
  },
  filter: { more: [{ class: 'DropDocument', conditions: brands(50) }] },
  'line breaks': { data: { inside: ['breaks'] } },
  'split at a regex': { change: (stage) => splitAt(stage, '[;,|]') },
  'split at a blank and a sign': { data: { separator: '; ' }, change: (stage) => splitAt(stage, '; ') },
  'teaser and date': {
    more: [
      { class: 'CreateStaticTeaser', source: ['title'], dest: ['teaser'], maxLength: 16 },
      { class: 'FormatDate', source: ['created'], dest: ['month'], formatStr: 'yyyy-MM' },
    ],
  },
  dictionary: { more: [{ class: 'DictionaryLookup', source: ['brand'], dest: ['maker'], dictPath: MAKERS }] },
  skip: {
    more: [
      { class: 'SkipDocument', conditions: brands(50) },
      { class: 'CopyFields', fieldMapping: { brand: 'seller' } },
    ],
  },
};

function keepDescription(stage) {
  return stage.class === 'DeleteFields' ? { ...stage, fields: ['title_copy'] } : stage;
}

function splitAt(stage, delimiter) {
  return stage.class === 'SplitFieldValues' ? { ...stage, delimiter } : stage;
}

/** Returns the variants of the nine-stage job, with the indexer Nop. */
export function nineStageJobs() {
  return Object.entries(VARIANTS).map(([name, { data, idField, change = (stage) => stage, more = [] }]) => {
    const job = { data: { ...DATA, ...data }, idField, sink: 'nop', stages: [...STAGES.map(change), ...more] };
    return { name: `nine stages: ${name}`, ...job, columns: fieldsAtEnd(job) };
  });
}
