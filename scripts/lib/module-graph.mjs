import { rolldown } from 'rolldown';
import { noDialects } from './dialects.mjs';

/** The modules that each module imports when it is loaded: files of the repository, and names of all other modules. */
export class ModuleGraph {
  #imports = new Map();

  /**
   * @param files the modules to start from
   * @param dialects the packages that are treated as files of the repository
   * @param external whether a module is not followed
   */
  static async of(files, dialects = noDialects, external = dialects.isLibrary) {
    const graph = new ModuleGraph();
    const bundled = await rolldown({
      input: files,
      platform: 'node',
      external,
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

  /** Returns all modules that a module needs to be loaded, including itself. */
  closure(id, found = new Set()) {
    if (found.has(id)) return found;
    found.add(id);
    for (const imported of this.#imports.get(id) ?? []) this.closure(imported, found);
    return found;
  }
}
