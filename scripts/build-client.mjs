// Builds the client of the service: gets the OpenAPI document of the built service, writes its types, and compiles
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSettings, startService } from '@headrace/service';
import { mustRun, root } from './lib/root.mjs';
import { typesOf } from './lib/schema-types.mjs';

const target = join(root, 'packages/client/src/api.generated.ts');

const types = typesOf(await readDocument());
// An unchanged file keeps its time, so that nothing is built again because of it.
if (read() !== types) writeFileSync(target, types);
await mustRun('tsc', ['-b', 'packages/client']);

async function readDocument() {
  const settings = {
    ...defaultSettings(),
    listeners: [{ host: '127.0.0.1', port: 0 }],
    storage: { type: 'memory' },
    // Authentication is on, because the document also describes how to log in.
    auth: { password: crypto.randomUUID(), users: [] },
  };
  const quiet = { level: 'silent', silent() {} };
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) quiet[level] = () => undefined;
  quiet.child = () => quiet;
  const service = await startService({ settings, catalogs: [], logger: quiet });
  try {
    return await (await fetch(`${service.urls[0]}/openapi.json`)).json();
  } finally {
    await service.close();
  }
}

function read() {
  try {
    return readFileSync(target, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
