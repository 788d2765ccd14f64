import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { catalogUrl } from '@headrace/components';
import { Document } from '@headrace/engine';
import { started } from './started.mjs';

const { ExternalPython } = await import(new URL('./stages/external-python.js', catalogUrl).href);

/** Returns a function that calls a script in this folder, which reports its start and never ends. */
export async function open(folder) {
  const directory = join(folder, `${threadId}`);
  mkdirSync(directory);
  const file = join(directory, 'started');
  const scriptPath = join(directory, 'endless.py');
  writeFileSync(scriptPath, `import time\ndef process_document(_):\n  open('${file}', 'w')\n  time.sleep(600)\n`);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const params = { scriptPath, pythonExecutable: 'python3', functionName: 'process_document' };
  const stage = new ExternalPython(params, { log, trusted: true, threadNumber: 1 });
  await stage.start();
  return () => Object.assign(stage.process(Document.create('1')), { underWay: started(file) });
}
