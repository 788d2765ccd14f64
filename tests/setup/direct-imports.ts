import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LIST = /^(import|export)\s+\{([^}]*)\}\s+from\s+'([^']+)';/gm;

/**
 * Returns a Vite plugin that points an import from a package of the repository to the file that declares the name. The
 * package's `index.ts` is skipped. A test then loads only what it uses, and `vitest --changed` runs only the tests
 * that use a changed file.
 */
export function directImports(): Plugin {
  const files = new Map(readdirSync(join(root, 'packages')).map((name) => packageFiles(name)));
  return {
    name: 'direct-imports',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/(packages|tests)\/.*\.ts$/.test(id)) return undefined;
      return code.replace(LIST, (statement: string, keyword: string, list: string, from: string) => {
        const declaring = files.get(from);
        if (declaring === undefined || keyword === 'export') return statement;
        const direct = namesIn(list).map(
          (name) => `import { ${name} } from '${declaring.get(name.split(' ')[0] as string) ?? from}';`,
        );
        // The line count stays equal, so that the lines of the file keep their numbers.
        return direct.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
      });
    },
  };
}

/** Returns the name of a package, and the path of the file that declares each name exported by its `index.ts`. */
function packageFiles(folder: string): [string, Map<string, string>] {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
    name: string;
    exports?: Record<string, { '@headrace/source'?: string }>;
  };
  const source = exports['.']?.['@headrace/source'];
  if (source === undefined) return [name, new Map()];
  const index = join(root, 'packages', folder, source);
  const statements = readFileSync(index, 'utf8').matchAll(LIST);
  return [
    name,
    new Map(
      Array.from(statements).flatMap(([, , list, from]) =>
        namesIn(list as string).map((exported) => [exported, join(dirname(index), from as string)] as const),
      ),
    ),
  ];
}

/** Returns the names in an import or export list in braces, without types. */
function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
