import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory.test.support.ts';
import { VALID } from './test-service.test.support.ts';

/** Creates a preset directory. A component of the preset delays the loading until the test ends it. */
export function slowPresets() {
  const directory = temporaryDirectory();
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const global = globalThis as typeof globalThis & { presetGate?: object };
  global.presetGate = { enter: entered.resolve, open: gate.promise };
  writeFileSync(join(directory, 'slow.mjs'), 'presetGate.enter(); await presetGate.open; export class Slow {}');
  writeFileSync(join(directory, 'films.conf'), VALID.replace('class: Upper', 'class: "./slow.mjs#Slow"'));
  return { directory, loading: entered.promise, open: gate.resolve };
}
