// The configs in examples/ that show a connector or an indexer.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** Returns the path and the text of the config that uses a connector or an indexer, and runs without changes. */
export function runnableExample({ kind, name }) {
  const folder = `examples/${kind}s`;
  const uses = new RegExp(`(class|type): "?(${name}|${name.replace(/Indexer$/, '')})\\b`, 'i');
  for (const file of readdirSync(join(root, folder)).sort()) {
    const text = readFileSync(join(root, folder, file), 'utf8');
    if (uses.test(text)) return { path: `${folder}/${file}`, text };
  }
  throw new Error(`${name} has no config in ${folder}: its page shows one that runs.`);
}

/** Returns the catalog entry of a component with its example. Stages have examples in their classes. */
export function withRunnableExample(entry) {
  if (entry.kind === 'stage') return entry;
  const { path, text } = runnableExample(entry);
  return { ...entry, examples: [{ description: `A config that runs: ${path}`, config: text }] };
}
