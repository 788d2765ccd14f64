import { closeSync, openSync, writeSync } from 'node:fs';

/**
 * Writes the CSV file of the throughput jobs: 10 columns and about 300 bytes per row. The same number of rows results
 * in the same file. Texts contain blanks at their ends, lists, numbers and dates, as real exports do.
 */
export function writeCsvData(path, rows) {
  let state = 42;
  // A linear congruential generator (Numerical Recipes), which is reproducible and fast enough.
  const random = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % n;
  };
  const words =
    'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore'.split(' ');
  const text = (count) => Array.from({ length: count }, () => words[random(words.length)]).join(' ');
  const file = openSync(path, 'w');
  let lines = ['sku,title,description,brand,category,tags,price,stock,created,url'];
  for (let i = 0; i < rows; i++) {
    const tags = Array.from({ length: 3 }, () => words[random(words.length)]).join(';');
    lines.push(
      `SKU-${String(i).padStart(8, '0')},  ${text(5)}  ,${text(22)},Brand ${random(500)},${words[random(words.length)]}/${words[random(words.length)]},` +
        `${tags},${random(100000) / 100},${random(1000)},2024-0${1 + random(9)}-1${random(10)}T0${random(10)}:00:00Z,https://shop.example/p/${i}`,
    );
    if (lines.length >= 5000) {
      writeSync(file, `${lines.join('\n')}\n`);
      lines = [];
    }
  }
  if (lines.length > 0) writeSync(file, `${lines.join('\n')}\n`);
  closeSync(file);
}

/** The nine field stages of the throughput job. */
export const nineStages = `
  {class: RenameFields, fieldMapping: {sku: product_id, url: link}}
  {class: TrimWhitespace, fields: [title, brand]}
  {class: CopyFields, fieldMapping: {title: title_copy}}
  {class: SplitFieldValues, inputField: tags, outputField: tag_list, delimiter: ";", trimWhitespace: true}
  {class: ApplyRegex, source: [created], dest: [year], regex: "^(\\\\d{4})-"}
  {class: Concatenate, dest: label, formatString: "{brand}: {category}"}
  {class: SetStaticValues, staticValues: {source_system: shop, batch: 7}}
  {class: NormalizeText, source: [category], dest: [category], mode: lowercase}
  {class: DeleteFields, fields: [description, title_copy]}
`;

/** Returns the CSV indexer block for the output of the nine stages. */
export function csvColumns(path) {
  const columns = 'id, product_id, title, brand, category, tag_list, price, stock, created, year, label, link';
  return `csv { path: "${path}", columns: [${columns}] }`;
}

/** Returns the config of the throughput job for a file and an indexer. */
export function csvJob(path, indexer, rest = '') {
  return `connectors: [{class: CSVConnector, name: csv, pipeline: p, path: "${path}"}]
pipelines: [{name: p, stages: [${nineStages}]}]
indexer { ${indexer} }
${rest}
`;
}
