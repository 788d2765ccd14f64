import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A package or plugin of the repository. */
export interface WorkspacePackage {
  /** Such as `engine`, or `kafka` for a plugin. */
  readonly name: string;
  /** Such as `packages/engine`. */
  readonly path: string;
  readonly isPlugin: boolean;
  /** The export paths of its package.json, such as `.` and `./testing`. */
  readonly exported: readonly string[];
}

/** All packages and plugins. */
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

/** Returns the paths of the files in the repository that Git tracks or would add. */
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

/** Returns whether only tests use a source file. */
export function isForTests(path: string): boolean {
  return /\.test\.|\/testing\//.test(path);
}
