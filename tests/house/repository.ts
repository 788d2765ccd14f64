import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A package of the repository, or a plugin. */
export interface WorkspacePackage {
  /** `engine`, or `kafka` for a plugin. */
  readonly name: string;
  /** `packages/engine`. */
  readonly path: string;
  readonly isPlugin: boolean;
  /** What its package.json exports: `.`, `./testing`. */
  readonly exported: readonly string[];
}

/** The packages and plugins. */
export const workspacePackages: readonly WorkspacePackage[] = ['packages', 'plugins'].flatMap((parent) =>
  (existsSync(join(root, parent)) ? readdirSync(join(root, parent)) : [])
    .filter((name) => existsSync(join(root, parent, name, 'package.json')))
    .map((name) => {
      const path = `${parent}/${name}`;
      const { exports } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as {
        exports?: Record<string, unknown>;
      };
      return { name, path, isPlugin: parent === 'plugins', exported: Object.keys(exports ?? {}) };
    }),
);

/** The files of the repository as they would be committed, by path. */
export function repositoryFiles(): string[] {
  const out = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  return out
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)));
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Whether a source file only serves tests. */
export function isForTests(path: string): boolean {
  return /\.test\.|\/testing\//.test(path);
}
