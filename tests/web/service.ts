import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryWith } from '../cli/headrace.ts';
import { serve } from '../service/served.ts';

/** Starts a service with its store in memory, for the tests of a file or for one test. Returns its URL. */
export async function serviceForFile(extra = ''): Promise<string> {
  const directory = directoryWith();
  writeFileSync(
    join(directory, 'service.yml'),
    `server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n${extra}`,
  );
  return (await serve(directory)).url;
}
