import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isForTests, type Room, readText, repositoryFiles, rooms } from './repository.ts';

/** Which packages of ours each may import. A plugin may import the engine alone. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  hocon: [],
  engine: ['hocon'],
  components: ['engine'],
  service: ['engine', 'components'],
  client: [],
  web: [],
  headrace: ['hocon', 'engine', 'components', 'service'],
};

/** What a component may load with itself; anything heavier it imports when it starts. The XML parser is 50 KB. */
const LIGHT = /^(node:|\.|@headrace\/engine$|typebox$|saxes$)/;

/** Rooms that stages import when they start; that nothing loads them before is shown in components.test.ts. */
const LOADED_AT_START = /^packages\/components\/src\/(jsonata|html\/reader)\//;

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** Gone when it runs. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

const files = repositoryFiles().filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));
const imports = files.flatMap(importsOf);
const inRooms = rooms.map((room) => ({
  room,
  imports: imports.filter(({ file }) => file.startsWith(`${room.path}/src/`)),
}));

describe('imports between packages', () => {
  it('are found', () => {
    const known = {
      file: 'packages/engine/src/config/check-config.ts',
      specifier: '@headrace/hocon',
      typeOnly: true,
      dynamic: false,
    };
    expect(imports).toContainEqual(known);
  });

  it.each(inRooms)('of $room.path go one way', ({ room, imports }) => {
    const allowed = room.isPlugin ? ['engine'] : MAY_IMPORT[room.name];
    expect(allowed, `tests/house/imports.test.ts does not know what ${room.path} may import`).toBeDefined();
    const wrong = imports.filter(({ specifier }) => {
      const other = packageOf(specifier);
      return other !== undefined && other !== room.name && !allowed?.includes(other);
    });
    expect(wrong.map(told)).toEqual([]);
  });

  it.each(inRooms)('of $room.path stay inside it, and give the extension', ({ room, imports }) => {
    const wrong = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false;
      const target = normalize(join(dirname(file), specifier));
      return !target.startsWith(`${room.path}/src/`) || !/\.(ts|tsx|js|json|css)$/.test(specifier);
    });
    expect(wrong.map(told)).toEqual([]);
  });

  it('go through what a package exports', () => {
    const wrong = imports.filter(({ file, specifier }) => {
      // The data alone: what is made of them is what a benchmark compares.
      if (file.startsWith('bench/') && specifier.endsWith('.generated.ts')) return false;
      const name = packageOf(specifier);
      if (name === undefined) return /(^|\/)(packages|plugins)\/[^/]+\/(src|dist)\//.test(specifier);
      const room = rooms.find((room) => room.name === name && !room.isPlugin);
      return room === undefined || !room.exported.includes(subpathOf(specifier, room));
    });
    expect(wrong.map(told)).toEqual([]);
  });
});

describe('components', () => {
  const componentFiles = inRooms
    .filter(({ room }) => room.name === 'components' || room.isPlugin)
    .flatMap(({ imports }) => imports)
    .filter(({ file }) => !isForTests(file));

  it('load no heavy library before they start', () => {
    const heavy = componentFiles.filter(
      ({ file, specifier, typeOnly, dynamic }) =>
        !typeOnly && !dynamic && !LIGHT.test(specifier) && !LOADED_AT_START.test(file),
    );
    expect(heavy.map(told)).toEqual([]);
  });
});

/** The imports of a file, by the form in which Biome leaves them: statements begin a line, quotes are single. */
function importsOf(file: string): Import[] {
  const text = readText(file);
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'/gm);
  const calls = text.matchAll(/\bimport\(\s*['`]([^'`$]+)['`]/g);
  return [
    ...Array.from(statements, ([, type, specifier]) => ({
      file,
      specifier: specifier as string,
      typeOnly: type !== undefined,
      dynamic: false,
    })),
    ...Array.from(calls, ([, specifier]) => ({ file, specifier: specifier as string, typeOnly: false, dynamic: true })),
  ];
}

/** The package of ours that a specifier names. */
function packageOf(specifier: string): string | undefined {
  return /^@headrace\/([\w-]+)/.exec(specifier)?.[1] ?? (/^headrace(\/|$)/.test(specifier) ? 'headrace' : undefined);
}

function subpathOf(specifier: string, room: Room): string {
  const name = room.name === 'headrace' ? 'headrace' : `@headrace/${room.name}`;
  return `.${specifier.slice(name.length)}`;
}

function told({ file, specifier }: Import): string {
  return `${file} imports ${specifier}`;
}
