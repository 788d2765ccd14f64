import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDocComments } from '../../scripts/lib/doc-comments.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-comments-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes files and reads the doc comments of the first file. */
function commentsOf(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return readDocComments(pathToFileURL(join(folder, Object.keys(files)[0] as string)).href);
}

describe('the description of a component class', () => {
  it('keeps paragraphs and the lines of a config example', () => {
    const source = `
/** Not of a class. */
const x = 1;

/**
 * Splits values at a <delimiter>,
 * over two lines.
 *
 * For example:
 *
 *     splitter { delimiter: "<p>" }
 *       inputField: a
 *
 *
 * The end.
 */
// biome-ignore lint/x/y: why
export class A extends Stage {}
/** Only a line. */
export abstract class B {}
export class Bare {}
`;
    const comments = commentsOf({ 'a.ts': source });
    expect([...comments].map(([name, { description }]) => [name, description])).toEqual([
      [
        'A',
        'Splits values at a <delimiter>, over two lines.\n\nFor example:\n\n    splitter { delimiter: "<p>" }\n      inputField: a\n\nThe end.',
      ],
      ['B', 'Only a line.'],
      ['Bare', ''],
    ]);
  });

  it('is found before decorators and with Windows line endings', () => {
    const source = '/**\r\n * It\r\n * is.\r\n */\r\n@frozen\r\nexport class A {}';
    expect(commentsOf({ 'a.js': source }).get('A')?.description).toBe('It is.');
  });
});

describe('the doc comments of parameters', () => {
  it('are read from the schema of the class, with the path of nested parameters', () => {
    const source = `
export class A extends Stage<typeof parameters> {
  static override readonly parameters = Type.Object({
    /** The field
     * to read. */
    'the field': Type.String(),
    // Not documentation.
    bare: Type.Optional(Type.Integer({ default: 5 })),
    /** Old. */
    /** New. */
    server: Type.Optional(Type.Object({ /** Its name. */ host: Type.String() })),
    /** Rules. */
    rules: Type.Array(Type.Object({ /** What fits. */ pattern: Type.String() }) as TSchema),
  });
}`;
    expect(commentsOf({ 'a.ts': source }).get('A')?.parameters).toEqual({
      'the field': 'The field to read.',
      server: 'New.',
      'server.host': 'Its name.',
      rules: 'Rules.',
      'rules.pattern': 'What fits.',
    });
  });

  it('are found in constants of the same file and of other files of the package', () => {
    const files = {
      'stages/a.ts': `
import { Type } from '@headrace/engine';
import { connection as shared, type Other } from '../shared/index.ts';
const id = { /** The id. */ idField: Type.String(), prefix: Type.String() };
const parameters = Type.Object({ ...id, ...shared, theId: id.idField, /** Mine. */ mine: id.idField, x: gone.y });
export class A { static parameters = parameters; }`,
      'shared/index.ts': `export { parameters as connection } from './connection.ts';`,
      'shared/connection.ts': `
const tls = Type.Object({ /** A PEM file. */ caFile: Type.String() });
export const parameters = { /** Where it is. */ url: Type.String(), /** Certificates. */ tls: Type.Optional(tls) };`,
    };
    expect(commentsOf(files).get('A')?.parameters).toEqual({
      idField: 'The id.',
      url: 'Where it is.',
      tls: 'Certificates.',
      'tls.caFile': 'A PEM file.',
      theId: 'The id.',
      mine: 'Mine.',
    });
  });

  it('come from the base class if the class declares no parameters', () => {
    const files = {
      'a.js': `import { Base } from './base.js'; export class A extends Base {} export class B extends Elsewhere {}`,
      'base.js': `export class Base { static parameters = Type.Object({ /** It. */ a: Type.String() }); }`,
    };
    const comments = commentsOf(files);
    expect(comments.get('A')?.parameters).toEqual({ a: 'It.' });
    expect(comments.get('B')?.parameters).toEqual({});
  });
});

describe('a module without usable doc comments', () => {
  it.each([
    ['is empty', ''],
    ['is not closed', '/** never closed'],
    ['is no JavaScript', 'class { ) <<<'],
    ['imports a file that is missing', `import { p } from './gone.js'; export class A { static parameters = p; }`],
    ['has constants that name each other', `const a = b; const b = a; export class A { static parameters = a; }`],
    ['has a constant that contains itself', `const a = { x: a }; export class A { static parameters = a; }`],
    ['imports itself', `import { p } from './a.js'; export class A { static parameters = p; }`],
  ])('causes no error if the module %s', (_, source) => {
    expect([...commentsOf({ 'a.js': source }).values()].flatMap(({ parameters }) => Object.keys(parameters))).toEqual(
      [],
    );
  });

  it('causes no error if the file is missing or binary', () => {
    expect(readDocComments(pathToFileURL(join(folder, 'gone.ts')).href).size).toBe(0);
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(commentsOf({ 'a.ts': text })).toBeInstanceOf(Map);
      }),
    );
  });
});
