// node bench/post-bulk.mjs URL INDEX FILE BATCH PARALLEL: sends a JSON Lines file to OpenSearch, without other work.
// The request bodies are created first, so the printed seconds are those of the search engine.
import { readFileSync } from 'node:fs';

const [url, index, file, batch, parallel] = process.argv.slice(2);
const bodies = [];
const lines = [];
for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
  lines.push(`{"index":{"_index":"${index}","_id":"${JSON.parse(line).id}"}}\n${line}\n`);
  if (lines.length === Number(batch)) bodies.push(Buffer.from(lines.splice(0).join('')));
}
if (lines.length > 0) bodies.push(Buffer.from(lines.join('')));

async function post() {
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
    const response = await fetch(`${url}/_bulk?filter_path=errors,items.*.error`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    const answer = await response.text();
    if (!answer.includes('"errors":false')) throw new Error(answer.slice(0, 500));
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: Number(parallel) }, post));
console.log((performance.now() - started) / 1000);
