import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { serve } from '../service/served.ts';

/** Starts a service for all tests of a file, with its store in memory. Returns its URL. */
export async function serviceForFile(extra = ''): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-web-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(
    join(directory, 'service.yml'),
    `server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n${extra}`,
  );
  return (await serve(directory)).url;
}
