import { closeSync, openSync, writeSync } from 'node:fs';
import { Random } from './random.mjs';

/** The approximate bytes of a row in the nine-stage job. Files with wider rows have fewer rows. */
const ROW_BYTES = 340;
const LONG_CELL = 4096;

const WORDS = {
  ascii: 'lorem ipsum dolor sit amet Consectetur adipiscing elit sed do eiusmod Tempor incididunt ut labore',
  latin: 'größe für straße äpfel Übung café naïve señor maçã Ærø smørrebrød Żółć élève pâté fußball',
  cjk: '商品 名前 東京 北京市 価格 在庫 説明 カタログ テスト 你好 世界 数据 文档 搜索 索引',
  emoji: 'box 📦 red 🍎 ship 🚢 fast 🚀 star 🌟 happy 😀 tree 🌲 Music',
};

const NINE_STAGE_COLUMNS = 'sku title description brand category tags price stock created url'.split(' ');
/** The columns of a narrow file. `grade` is a digit, so a condition on it selects a tenth of the documents. */
const NARROW_COLUMNS = 'sku title description tags grade'.split(' ');

/**
 * Returns the names of the columns of a file.
 *
 * @param data
 *   - `form`: `csv`, `json`, `nested`, `xml` or `table` (of a database)
 *   - `columns`: how many there are
 *   - `alphabet`: a key of WORDS
 *   - `quoted`: whether all cells are quoted; otherwise only those that need quotes
 *   - `inside`: what texts contain: `quotes`, `commas`, `breaks`
 *   - `long`: whether the description has 4 KB
 *   - `empty`: whether some cells are empty
 *   - `separator`: the text between two tags
 *   - `children`: whether the objects of nested data have two children
 *   - `grade`: whether a file of ten or more columns has the column `grade`
 */
export function columnsOf({ columns, grade }) {
  if (columns === 5) return NARROW_COLUMNS;
  const names = grade ? [...NINE_STAGE_COLUMNS, 'grade'] : [...NINE_STAGE_COLUMNS];
  while (names.length < columns) names.push(`word${names.length}`);
  return names;
}

/** Returns whether a CSV file of this data contains quotes. */
export function hasQuotes({ quoted, inside, separator }) {
  return quoted || inside.length > 0 || separator === ',';
}

/**
 * Writes a file of at most this many rows, fewer if they are long. Returns the number of rows. The data is
 * reproducible.
 */
export function writeData(path, data, rows) {
  const random = new Random(42);
  const names = columnsOf(data);
  const format = FORMATS[data.form];
  const file = openSync(path, 'w');
  let text = format.start(names);
  let bytes = 0;
  let row = 0;
  for (; row < rows && bytes < rows * ROW_BYTES; row++) {
    text += format.row(names, valuesOf(names, data, row, random), data);
    if (text.length < 1_000_000) continue;
    bytes += writeSync(file, text);
    text = '';
  }
  writeSync(file, text + format.end);
  closeSync(file);
  return row;
}

function valuesOf(names, data, row, random) {
  const words = WORDS[data.alphabet].split(' ');
  const text = (count) => {
    let result = random.pick(words);
    for (let i = 1; i < count; i++) result += between(data.inside, random) + random.pick(words);
    return result;
  };
  const orEmpty = (value) => (data.empty && random.chance(0.15) ? '' : value);
  const makers = {
    sku: () => `SKU-${String(row).padStart(8, '0')}`,
    title: () => orEmpty(`  ${text(5)}  `),
    description: () => {
      let result = text(22);
      while (data.long && result.length < LONG_CELL) result += ` ${result}`;
      return orEmpty(data.long ? result.slice(0, LONG_CELL).trim() : result);
    },
    brand: () => orEmpty(`Brand ${random.below(500)}`),
    category: () => orEmpty(`${random.pick(words)}/${random.pick(words)}`),
    tags: () => orEmpty([0, 1, 2].map(() => random.pick(words)).join(data.separator)),
    price: () => String(random.below(100_000) / 100),
    stock: () => String(random.below(1000)),
    created: () => `2024-0${1 + random.below(9)}-1${random.below(10)}T0${random.below(10)}:00:00Z`,
    url: () => `https://shop.example/p/${row}`,
    grade: () => String(random.below(10)),
  };
  return names.map((name) => (makers[name] ?? (() => orEmpty(random.pick(words))))());
}

/** Returns the text between two words. */
function between(inside, random) {
  if (inside.length === 0 || random.chance(0.8)) return ' ';
  return { quotes: ' "quoted" ', commas: ', ', breaks: '\n' }[random.pick(inside)];
}

const FORMATS = {
  csv: {
    start: (names) => `${names.join(',')}\n`,
    row: (_names, values, { quoted }) => `${values.map((value) => cell(value, quoted)).join(',')}\n`,
    end: '',
  },
  json: {
    start: () => '',
    row: (names, values, { separator }) => `${JSON.stringify(plainObject(names, values, separator))}\n`,
    end: '',
  },
  nested: {
    start: () => '',
    row: (names, values, { separator, children }) => {
      const { brand = 'Brand 0', category = 'all', ...rest } = plainObject(names, values, separator);
      const object = { ...rest, maker: { name: brand, place: { area: category, number: 7 } } };
      const child = (number) => ({ id: `${object.id}-${number}`, title: object.title });
      if (children) object.___children = [child(1), child(2)];
      return `${JSON.stringify(object)}\n`;
    },
    end: '',
  },
  xml: {
    start: () => '<items>\n',
    row: (names, values) => {
      const members = names.map((name, i) => `<${name}>${escaped(values[i])}</${name}>`).join('');
      return `<item>${members}</item>\n`;
    },
    end: '</items>\n',
  },
};

function cell(value, quoted) {
  return quoted || /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Returns an object with the SKU as the id, the tags as a list, and the stock as a number. */
function plainObject(names, values, separator) {
  const members = names.map((name, i) => {
    if (name === 'sku') return ['id', values[i]];
    if (name === 'tags') return ['tags', values[i].split(separator)];
    return [name, name === 'stock' ? Number(values[i]) : values[i]];
  });
  return Object.fromEntries(members);
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
