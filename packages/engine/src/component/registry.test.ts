import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeadraceError } from '../errors/headrace-error.ts';
import { catalogText } from './catalog-file.ts';
import { Registry, type RegistrySource } from './registry.ts';
import { Type } from './schema.ts';

let folder: string;
let base: string;

const stage = (name: string, more = '') => `
export class ${name} {
  static kind = 'stage';
  static description = 'Does something.';
  static parameters = { type: 'object', properties: { field: { type: 'string', description: 'The field.' } }, required: ['field'] };
  ${more}
  constructor(params) { this.params = params; }
  process() {}
}
`;

beforeAll(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'headrace-registry-'));
  base = `${pathToFileURL(folder).href}/`;
  const files: Record<string, string> = {
    'mine.js': `${stage('Mine')}${stage('Other')}export const helper = 1;`,
    'twin.js': stage('Mine'),
    'java.js': stage('Renamed', `static javaClass = 'com.acme.Renamed';`),
    'none.js': `export class Plain {} export class Bare { static kind = 'stage'; process() {} }`,
    'broken.js': 'import "./missing.js"; export class X {}',
    'built-in.js': stage('BuiltIn') + stage('Mine2'),
    'package.json': '{"type": "module"}',
    'node_modules/@acme/esm/package.json': '{"name":"@acme/esm","type":"module","exports":{".":{"import":"./i.js"}}}',
    'node_modules/@acme/esm/i.js': stage('FromEsm'),
    'node_modules/plain/package.json': '{"name":"plain","main":"m.js","type":"module"}',
    'node_modules/plain/m.js': stage('FromPlain'),
    catalog: catalogText([
      {
        kind: 'stage',
        name: 'BuiltIn',
        module: 'built-in.js',
        aliases: ['com.kmwllc.lucille.stage.BuiltIn'],
        package: '@headrace/components',
        fields: [],
        schema: Type.Object({}),
      },
      {
        kind: 'indexer',
        name: 'SinkIndexer',
        module: 'not-there.js',
        aliases: [],
        type: 'Sink',
        package: '@headrace/components',
        fields: [],
        schema: Type.Object({}),
      },
    ]),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(source: Partial<RegistrySource> = {}): Promise<Registry> {
  return Registry.open({ catalogs: [`${base}catalog`], modules: [], base, allowModules: true, ...source });
}

async function refusal(action: Promise<unknown>): Promise<Pick<HeadraceError, 'code' | 'message' | 'hint'>> {
  const error = await action.then(
    () => expect.fail('nothing was thrown'),
    (error: HeadraceError) => error,
  );
  return { code: error.code, message: error.message, hint: error.hint };
}

describe('built-in components', () => {
  it('are found by short name and by Java name without loading their module', async () => {
    const registry = await open();
    const entry = await registry.find('stage', 'BuiltIn');
    expect(entry?.module).toBe(`${base}built-in.js`);
    expect(await registry.find('stage', 'com.kmwllc.lucille.stage.BuiltIn')).toBe(entry);
    expect(await registry.find('connector', 'BuiltIn')).toBeUndefined();
    expect(await registry.find('stage', 'com.kmwllc.lucille.connector.BuiltIn')).toBeUndefined();
    expect(await registry.find('stage', 'NoSuch')).toBeUndefined();
    expect(registry.list('indexer').map(({ name }) => name)).toEqual(['SinkIndexer']);
  });

  it('are loaded when they are needed', async () => {
    const registry = await open();
    const entry = await registry.find('stage', 'BuiltIn');
    const BuiltIn = await registry.load(entry as never, 'stage');
    expect((BuiltIn as { name: string }).name).toBe('BuiltIn');
  });

  it('are found by indexer.type in any letter case', async () => {
    const registry = await open();
    expect(registry.findIndexerType('sInK')?.name).toBe('SinkIndexer');
    expect(registry.findIndexerType('other')).toBeUndefined();
  });

  it('are suggested for misspelt names', async () => {
    const registry = await open();
    for (const name of ['BultIn', 'builtin', 'com.kmwllc.lucille.stage.BuilIn', 'stage.BuiltInn', './x.js#Builtin']) {
      expect(registry.suggest('stage', name), name).toBe('BuiltIn');
    }
    expect(registry.suggest('stage', 'Entirely')).toBeUndefined();
  });

  it('cause an error if their module cannot be loaded', async () => {
    const registry = await open();
    const entry = registry.findIndexerType('sink');
    const error = await refusal(registry.load(entry as never, 'indexer'));
    expect(error.code).toBe('HR_CONFIG_COMPONENT_LOAD');
    expect(error.message).toMatch(/^The module @headrace\/components cannot be loaded: /);
  });

  it('cause an error if the module does not export the class', async () => {
    const registry = await open();
    const entry = { ...((await registry.find('stage', 'BuiltIn')) as object), name: 'Gone' };
    expect(await refusal(registry.load(entry as never, 'stage'))).toMatchObject({
      code: 'HR_CONFIG_COMPONENT_LOAD',
      message: `The module ${base}built-in.js has no stage Gone`,
    });
  });
});

describe('custom components of the service file', () => {
  it.each([
    ['a path', './mine.js', ['BuiltIn', 'Mine', 'Other']],
    ['a package that only offers import', '@acme/esm', ['BuiltIn', 'FromEsm']],
    ['a package with a main file', 'plain', ['BuiltIn', 'FromPlain']],
  ])('are found in %s', async (_, specifier, names) => {
    const registry = await open({ modules: [specifier], allowModules: false });
    expect(registry.list('stage').map(({ name }) => name)).toEqual(names);
    const name = names.at(-1) as string;
    const entry = await registry.find('stage', name);
    expect(entry).toMatchObject({ name, package: specifier, description: 'Does something.', aliases: [] });
    expect(entry?.fields.find((field) => field.name === 'field')).toMatchObject({
      required: true,
      type: { type: 'STRING' },
      description: 'The field.',
    });
    expect(entry?.fields.map((field) => field.name)).toContain('conditions');
    expect(await registry.find('stage', `${specifier}#${name}`)).toBe(entry);
  });

  it('need not extend the base class, and only have the Java names that they declare', async () => {
    const registry = await open({ modules: ['./java.js'] });
    const entry = await registry.find('stage', 'com.acme.Renamed');
    expect(entry?.name).toBe('Renamed');
    expect(await registry.find('stage', 'com.kmwllc.lucille.stage.Renamed')).toBeUndefined();
  });

  it('may be registered twice by the same module, but not by two modules', async () => {
    const twice = await open({ modules: ['./mine.js', `${base}mine.js`] });
    expect(twice.list('stage')).toHaveLength(3);
    expect(await refusal(open({ modules: ['./mine.js', './twin.js'] }))).toEqual({
      code: 'HR_CONFIG_DUPLICATE_NAME',
      message: `The stage Mine exists twice: in ${base}mine.js and in ${base}twin.js`,
      hint: 'Rename the custom class.',
    });
    expect(await refusal(open({ modules: ['./built-in.js'], catalogs: [] }).then(() => Promise.reject({})))).toEqual(
      {},
    );
  });

  it.each([
    ['./none.js', /^The module \.\/none\.js exports no component$/, /^Export a class that extends/],
    ['./missing.js', /^The module \.\/missing\.js cannot be loaded: Cannot find module '[^']*missing\.js'$/, undefined],
    ['./broken.js', /^The module \.\/broken\.js cannot be loaded: .* imported from .*broken\.js$/, undefined],
    [
      '@acme/nothing',
      /^The package @acme\/nothing cannot be found$/,
      /^Install it in .* or a parent folder, or write a path/,
    ],
  ])('are refused with the reason: %s', async (specifier, message, hint) => {
    const error = await refusal(open({ modules: [specifier] }));
    expect(error.code).toBe('HR_CONFIG_COMPONENT_LOAD');
    expect(error.message).toMatch(message);
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(error.hint).toMatch(hint);
  });
});

describe('modules named by a config', () => {
  it('are loaded if the registry allows it', async () => {
    const registry = await open();
    const entry = await registry.find('stage', './mine.js#Mine');
    expect(entry).toMatchObject({ name: 'Mine', package: './mine.js', module: `${base}mine.js` });
    expect(await registry.find('stage', './mine.js#Mine')).toBe(entry);
    expect(registry.list('stage').map(({ name }) => name)).toEqual(['BuiltIn']);
    expect((await registry.find('stage', '@acme/esm#FromEsm'))?.name).toBe('FromEsm');
  });

  it('cause an error with the exported classes if the class is missing', async () => {
    const registry = await open();
    expect(await refusal(registry.find('stage', './mine.js#Min'))).toEqual({
      code: 'HR_CONFIG_UNKNOWN_CLASS',
      message: 'The module ./mine.js exports no stage Min',
      hint: 'It exports: Mine, Other.',
    });
    expect(await refusal(registry.find('connector', './mine.js#Mine'))).toMatchObject({
      hint: 'It exports no connectors.',
    });
  });

  it('cause an error with the exported classes if no class is named', async () => {
    const message = './mine.js is a module, not a class';
    const hint = 'Name the class: ./mine.js#Mine or ./mine.js#Other.';
    const known = await open({ modules: ['./mine.js'], allowModules: false });
    for (const registry of [await open(), known]) {
      expect(await refusal(registry.find('stage', './mine.js'))).toEqual({
        code: 'HR_CONFIG_UNKNOWN_CLASS',
        message,
        hint,
      });
    }
    expect(await refusal((await open()).find('indexer', './mine.js'))).toMatchObject({
      hint: 'It exports no indexers.',
    });
    expect(await refusal((await open({ allowModules: false })).find('stage', './mine.js'))).toMatchObject({
      code: 'HR_CONFIG_COMPONENT_LOAD',
    });
  });

  it('cause an error if the class has no parameters', async () => {
    const registry = await open();
    expect(await refusal(registry.find('stage', './none.js#Bare'))).toEqual({
      code: 'HR_CONFIG_COMPONENT_LOAD',
      message: 'The class Bare of ./none.js has no `static parameters`',
      hint: 'It must extend Connector, Stage or Indexer and have `static parameters = Type.Object({ … })`.',
    });
    expect(await refusal(registry.find('stage', './none.js#Plain'))).toMatchObject({
      message: 'The class Plain of ./none.js is not a component',
    });
  });

  it.each(['./mine.js#Mine', '@acme/esm#FromEsm', '@acme/nothing#X', './missing.js#X', 'file:///etc/passwd#X'])(
    '%s is refused in an uploaded config, whether the module exists or not',
    async (name) => {
      const registry = await open({ allowModules: false });
      expect(await refusal(registry.find('stage', name))).toEqual({
        code: 'HR_CONFIG_COMPONENT_LOAD',
        message: `An uploaded config may not load the module ${name.slice(0, name.indexOf('#'))}`,
        hint: 'Name the module under `components` in the service file.',
      });
    },
  );
});
