import { rolldown } from 'rolldown';
import { noDialects } from './dialects.mjs';

/** What modules import when they are loaded: files of ours as they are, everything else by its name. */
export class ModuleGraph {
  #imports = new Map();

  /**
   * @param files the modules to start from
   * @param dialects the packages that are taken as files of ours
   */
  static async of(files, dialects = noDialects) {
    const graph = new ModuleGraph();
    const bundled = await rolldown({
      input: files,
      platform: 'node',
      external: dialects.isLibrary,
      plugins: [
        dialects.plugin,
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
