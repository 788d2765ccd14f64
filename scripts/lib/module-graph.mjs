import { isAbsolute } from 'node:path';
import { rolldown } from 'rolldown';

/** What modules import when they are loaded: their own files as they are, everything else by its name. */
export class ModuleGraph {
  #imports = new Map();

  /** @param files the modules to start from */
  static async of(files) {
    const graph = new ModuleGraph();
    const bundled = await rolldown({
      input: files,
      platform: 'node',
      external: hasName,
      plugins: [
        {
          name: 'module-graph',
          buildEnd() {
            for (const id of this.getModuleIds()) graph.#imports.set(id, this.getModuleInfo(id).importedIds);
          },
        },
      ],
    });
    await bundled.generate({ format: 'esm' });
    return graph;
  }

  /** All that a module needs to be loaded, itself included. */
  closure(id, found = new Set()) {
    if (found.has(id)) return found;
    found.add(id);
    for (const imported of this.#imports.get(id) ?? []) this.closure(imported, found);
    return found;
  }
}

/** Whether a module is found by a name of its own, as packages are; #typebox is a file of ours. */
export function hasName(specifier) {
  return /^[a-z@]/i.test(specifier) && !isAbsolute(specifier);
}
