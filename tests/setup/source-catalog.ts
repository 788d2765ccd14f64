import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Builds the catalog of components from their sources, for tests that find a component by name. Takes a second. */
export function setup(project: TestProject): void {
  writeCatalog();
  project.onTestsRerun(() => writeCatalog());
}

function writeCatalog(): void {
  const args = ['--conditions=@headrace/source', 'scripts/build-catalog.mjs', '--source'];
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
