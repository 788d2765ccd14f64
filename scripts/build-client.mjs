// Builds the client of the service: gets the OpenAPI document of the built service, writes its types, and compiles
// them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openapiDocument } from './lib/openapi-document.mjs';
import { mustRun, root } from './lib/root.mjs';
import { typesOf } from './lib/schema-types.mjs';

const target = join(root, 'packages/client/src/api.generated.ts');

const types = typesOf(await openapiDocument());
// An unchanged file keeps its time, so that nothing is built again because of it.
if (read() !== types) writeFileSync(target, types);
await mustRun('tsc', ['-b', 'packages/client']);

function read() {
  try {
    return readFileSync(target, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
