import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binary, directoryWith, installHeadrace } from '../cli/headrace.ts';
import { fileOf, type Page } from './page.ts';

/** Creates a folder with the files of a page and Headrace as users install it: `bin/headrace` and the package. */
export function pageDirectory(page: Page): string {
  const directory = directoryWith({ 'package.json': '{"type":"module"}' });
  installHeadrace(directory);
  for (const block of page.blocks) {
    const file = fileOf(block);
    if (file === undefined) continue;
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), block.text);
  }
  const command = join(directory, 'bin/headrace');
  mkdirSync(dirname(command));
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`);
  chmodSync(command, 0o755);
  return directory;
}
