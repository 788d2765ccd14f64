/** Reads Parquet files, one path and id column a line, and prints the documents: for `beside_pyarrow.py`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readDocuments } from '../dist/testing/read-documents.js';

const [list, out] = process.argv.slice(2);
const lines = [];
for (const line of readFileSync(list, 'utf8').trimEnd().split('\n')) {
  const [path, idField] = line.split('\t');
  const { json, rejected, message } = await readDocuments({ idField, paths: [path] }).catch((error) => ({
    json: [],
    rejected: [],
    message: String(error),
  }));
  const documents = json.map((text) => text.replace(/^\{"id":/, '{"":'));
  const problem = message ?? rejected[0]?.error?.message ?? rejected[0]?.message ?? null;
  lines.push(`${JSON.stringify({ path, rejected: rejected.length, problem })}\n`, `[${documents.join(',')}]\n`);
}
writeFileSync(out, lines.join(''));
