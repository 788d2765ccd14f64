/**
 * Reads all files of a folder and prints, for each file name extension: files, files with text, files without text,
 * files with a problem, and milliseconds per file. Then it lists the files without text, and why.
 *
 *     node plugins/text-extraction/bench/tika-documents.mjs FOLDER [--jsonl RESULT] [--only EXTENSION]
 *
 * The public test documents of Apache Tika are meant: `the folders test-documents` in github.com/apache/tika. The
 * package must be built. With --jsonl each text and its metadata are written to a file, one line for each file.
 */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ParseThreads } from '../dist/parsing/parse-threads.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jsonl: { type: 'string' }, only: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('Usage: node tika-documents.mjs FOLDER [--jsonl RESULT] [--only EXTENSION]');
  process.exit(2);
}
if (values.jsonl !== undefined) writeFileSync(values.jsonl, '');

const names = readdirSync(folder, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
  .filter((name) => values.only === undefined || extensionOf(name) === values.only)
  .sort();
const threads = new ParseThreads({ memoryMb: 512, timeout: 60_000 }, 1);
const formats = new Map();
const without = [];
let total = 0;
for (const name of names) {
  const bytes = readFileSync(join(folder, name));
  const row = formats.getOrInsertComputed(extensionOf(name), () => ({
    files: 0,
    text: 0,
    empty: 0,
    problems: 0,
    ms: 0,
  }));
  const start = performance.now();
  const result = await threads
    .parse({
      bytes,
      name,
      contentType: undefined,
      format: 'text',
      maxCharacters: 2 ** 31 - 1,
      maxExpandedBytes: 512 * 2 ** 20,
      options: { dates: 'format', hidden: 'include', passwords: [] },
      images: false,
    })
    .catch((error) => ({ text: '', metadata: [], problem: { kind: 'limit', message: error.message } }));
  const ms = performance.now() - start;
  const metadata = Object.fromEntries(result.metadata);
  row.files++;
  row.ms += ms;
  total += ms;
  if (result.problem !== undefined) row.problems++;
  if (result.text.trim() !== '') row.text++;
  else {
    row.empty++;
    without.push(`${name}  ${metadata['Content-Type'] ?? ''}  ${result.problem?.message ?? 'no text'}`);
  }
  if (values.jsonl !== undefined) {
    const line = { name, ms, error: result.problem?.message ?? '', text: result.text, metadata };
    appendFileSync(values.jsonl, `${JSON.stringify(line)}\n`);
  }
}
await threads.close();
console.table(
  Object.fromEntries(
    [...formats]
      .sort(([, a], [, b]) => b.files - a.files)
      .map(([format, { ms, files, ...counts }]) => [format, { files, ...counts, 'ms/file': Math.round(ms / files) }]),
  ),
);
console.log(`${names.length} files, ${names.length - without.length} with text, ${Math.round(total)} ms`);
const { user, system } = process.cpuUsage();
console.log(`${((user + system) / 1e6).toFixed(2)} s of processor time, start included`);
console.log(`\nWithout text:\n${without.join('\n')}`);

function extensionOf(name) {
  return extname(name).slice(1).toLowerCase() || 'none';
}
