/**
 * Makes a bundle get the modules of Node without `import`. An import reads all properties of a module, and many of them
 * load more parts of Node. `node:fs` alone loads streams, promises and reading lines: 2 ms of each thread.
 */
export const nodeModules = {
  name: 'node-modules',
  renderChunk: (code) =>
    code.replace(
      /^import (?:(?:\* as )?(?<all>\w+)(?:, )?)?(?:\{(?<some>[^}]*)\})? from "(?<module>node:[\w/]+)";$/gm,
      (_statement, all, some, module) =>
        [all, some && `{${some.replaceAll(' as ', ': ')}}`]
          .filter((names) => names !== undefined)
          .map((names) => `const ${names} = ${names === all ? whole(module) : loaded(module)};`)
          .join(' '),
    ),
};

function loaded(module) {
  // A module may call its variable for `node:process` process.
  return `globalThis.process.getBuiltinModule("${module}")`;
}

function whole(module) {
  if (module !== 'node:child_process') return loaded(module);
  // Commander loads this module, but only commands that are separate programs use it.
  return `new Proxy({}, { get: (_target, name) => ${loaded(module)}[name] })`;
}
