#!/usr/bin/env node
// In place of tesseract: records its arguments and its zone, and writes a fixed text and table. It recognizes nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const args = process.argv.slice(2);
if (args[0] === '--list-langs') {
  console.log('List of available languages in "/tessdata/" (2):\neng\ndeu');
} else {
  const [input, output, ...options] = args;
  const image = readFileSync(input);
  if (image.includes('damaged')) {
    console.error('Error in pixReadStream: Unknown format');
    process.exit(1);
  }
  const zone = existsSync(`${input}.uzn`) ? readFileSync(`${input}.uzn`, 'utf8') : null;
  writeFileSync(`${output}.txt`, `${JSON.stringify({ bytes: image.length, zone, options })}\n\f`);
  const rows = [
    [
      'level',
      'page_num',
      'block_num',
      'par_num',
      'line_num',
      'word_num',
      'left',
      'top',
      'width',
      'height',
      'conf',
      'text',
    ],
    [1, 1, 0, 0, 0, 0, 0, 0, 900, 200, -1, ''],
    [5, 1, 1, 1, 1, 1, 48, 78, 191, 70, 90.5, 'Hello,'],
    [5, 1, 1, 1, 1, 2, 265, 78, 164, 61, 60.5, 'World'],
  ];
  writeFileSync(`${output}.tsv`, rows.map((row) => `${row.join('\t')}\n`).join(''));
}
