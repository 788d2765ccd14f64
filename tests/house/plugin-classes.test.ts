import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pluginClassNames, pluginPackages } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { root, workspacePackages } from './repository.ts';

const KINDS = ['connector', 'stage', 'indexer', 'file handler'] as const;
const plugins = workspacePackages.filter(({ isPlugin }) => isPlugin);

describe('the table of the classes of plugins', () => {
  it('names the plugins of the repository', () => {
    expect([...pluginPackages].sort()).toEqual(plugins.map(({ name }) => `@headrace/${name}`).sort());
  });

  it('names the classes that the plugins export, and no others', async () => {
    const exported = await Promise.all(
      plugins.map(({ path }) => import(pathToFileURL(join(root, path, 'src/index.ts')).href)),
    );
    const named = KINDS.flatMap((kind) => pluginClassNames(kind)).filter((name) => !name.includes('.'));
    // A plugin may also export functions.
    const classes = exported.flatMap((names) => Object.keys(names)).filter((name) => /^[A-Z]/.test(name));
    expect(named.sort()).toEqual(classes.sort());
  });
});
