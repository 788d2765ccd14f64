import { columnsOf, hasQuotes } from './data.mjs';
import { FILE_NAMES } from './paths.mjs';
import { TABLE_COLUMNS } from './table.mjs';

/** Adds the fields that the connector creates. */
export function addSourceFields(fields, { data }) {
  const text = (name) => fields.add(name, 'text', { pristine: true });
  text('id');
  if (data.form === 'xml') return void text('xml');
  if (data.form === 'table') {
    for (const name of Object.keys(TABLE_COLUMNS)) {
      fields.add(name, name === 'stock' ? 'number' : 'text', { pristine: true });
    }
    return;
  }
  const columns = columnsOf(data);
  if (data.form === 'csv') {
    for (const name of ['source', 'filename', ...columns]) text(name);
    fields.add('csvLineNumber', 'number');
    return;
  }
  const nested = data.form === 'nested' ? ['brand', 'category'] : [];
  for (const name of columns) {
    if (name === 'sku' || nested.includes(name)) continue;
    const kinds = { tags: 'list', stock: 'number' };
    fields.add(name, kinds[name] ?? 'text', { pristine: true });
  }
  if (nested.length > 0) fields.add('maker', 'object');
  if (data.children) fields.add('___children', 'object');
}

/**
 * Returns code that reads one record from `text` at `at` into the variables of the fields.
 *
 * @param source the fields of the source
 * @param isUsed returns whether the program uses a variable
 */
export function readerCode({ data, idField }, source, isUsed, path) {
  const variables = new Map(source.map(({ name, variable }) => [name, variable]));
  const used = (name) => isUsed(variables.get(name));
  if (data.form === 'csv') return csvCode(data, idField, used, path);
  if (data.form === 'xml') {
    return `const start = text.indexOf('<item>', at);
if (start < 0) break;
at = text.indexOf('</item>', start) + 7;
xml = text.slice(start, at);
const sku = xml.indexOf('<sku>') + 5;
id = unescaped(xml.slice(sku, xml.indexOf('<', sku)));
`;
  }
  if (data.form === 'table') {
    // The id is the first column, which is also a field.
    const cells = [...variables.keys()].map((name, i) => (used(name) ? `${name} = row[${Math.max(0, i - 1)}];\n` : ''));
    return `const row = text[at++];\n${cells.join('')}`;
  }
  const members = [...variables.keys()].filter(used).map((name) => `${name} = object.${name};\n`);
  return `const end = text.indexOf('\\n', at);
const object = JSON.parse(text.slice(at, end));
at = end + 1;
${members.join('')}`;
}

/**
 * Returns code that refuses a piece with syntax that the other code does not read. A program that ignored it would write
 * wrong documents.
 */
export function refusalCode({ data }) {
  const refusal = (syntax, what) => `if (text.includes('${syntax}')) throw new Error('This file has ${what}');\n`;
  if (data.form === 'csv' && !hasQuotes(data)) return refusal('"', 'quotes');
  return data.form === 'xml' ? refusal('<!', 'comments or CDATA sections') : '';
}

function csvCode(data, idField, used, path) {
  const quotes = hasQuotes(data);
  const columns = columnsOf(data);
  let code = quotes ? '' : 'let end = 0;\n';
  for (const [i, name] of columns.entries()) {
    const separator = i === columns.length - 1 ? "'\\n'" : "','";
    const kept = used(name) || name === idField;
    if (quotes) code += `${kept ? `${name} = ` : ''}readCell(text, at, ${separator});\nat = next;\n`;
    else if (kept) code += `end = text.indexOf(${separator}, at);\n${name} = text.slice(at, end);\nat = end + 1;\n`;
    else code += `at = text.indexOf(${separator}, at) + 1;\n`;
  }
  if (used('source')) code += `source = ${JSON.stringify(path)};\n`;
  if (used('filename')) code += `filename = '${FILE_NAMES.csv}';\n`;
  if (used('csvLineNumber')) code += 'csvLineNumber = record;\n';
  if (used('id')) code += `id = ${idField ?? `'${FILE_NAMES.csv}-' + record`};\n`;
  return `${code}record++;\n`;
}
