import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, root } from './repository.ts';

/** The sources with parameters of components and of blocks of the config. The API of the service has other schemas. */
const sources = repositoryFiles()
  .filter((path) => /^(?:packages\/(?:engine|components|distributed)|plugins\/[^/]+)\/src\/.*\.ts$/.test(path))
  .filter((path) => !/\.test\.|\/testing\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** A parameter in a schema. */
interface Parameter {
  readonly name: string;
  /** The expression of its schema. */
  readonly schema: string;
  /** The doc comment before it. */
  readonly comment: string;
}

/** Returns the parameters of a source that have a default. Those of a nested object are separate parameters. */
function withDefault(text: string): Parameter[] {
  const found: Parameter[] = [];
  for (const match of text.matchAll(/^ *(\w+): ((?:Type\.\w+|OneOf|MapOf)\()/gm)) {
    const schema = callAt(text, match.index + match[0].length - 1);
    const isObject = match[2] === 'Type.Object(' || schema.includes('Type.Object(');
    if (isObject || !/\bdefault:/.test(schema)) continue;
    const [comment = ''] = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, match.index)) ?? [];
    found.push({ name: match[1] as string, schema: (match[2] as string) + schema.slice(1), comment });
  }
  return found;
}

/** Returns the arguments of a call, with the parentheses. */
function callAt(text: string, start: number): string {
  let depth = 0;
  for (const token of text.slice(start).matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[()]/g)) {
    if (token[0] === '(') depth++;
    if (token[0] === ')') depth--;
    if (depth === 0) return text.slice(start, start + token.index + 1);
  }
  return text.slice(start);
}

/** Returns the parameters with a default for which the test of their source returns true. */
function parametersThat(matches: (parameter: Parameter, text: string) => boolean): string[] {
  return sources.flatMap(({ path, text }) =>
    withDefault(text)
      .filter((parameter) => matches(parameter, text))
      .map(({ name }) => `${path}: ${name}`),
  );
}

/** Returns whether a source has a second default for a parameter: `params.name ?? x`, or `{ name = x } = params`. */
function hasFallback({ name }: Parameter, text: string): boolean {
  if (new RegExp(`\\b(?:params|settings)\\.${name}(?: as \\w+)? \\?\\?`).test(text)) return true;
  const patterns = text.matchAll(/\{([^{}]*)\}(?: = (?:this\.)?params;|: Static<typeof parameters>)/g);
  return [...patterns].some(([, names = '']) => new RegExp(`(?:^|, *|\\s)${name}(?:: \\w+)? = `).test(names));
}

describe('the default of a parameter', () => {
  it('is in the schema of most components', () => {
    expect(parametersThat(() => true).length).toBeGreaterThan(200);
  });

  it('makes the parameter optional: Type.Optional would make its value possibly undefined', () => {
    expect(parametersThat(({ schema }) => schema.startsWith('Type.Optional('))).toEqual([]);
  });

  it('is not repeated in the doc comment or the description, because the pages take it from the schema', () => {
    expect(
      parametersThat(({ comment, schema }) => /\bdefaults? (?:to|is)\b|\bby default\b/i.test(comment + schema)),
    ).toEqual([]);
  });

  it('is not repeated in the code, because the engine applies it', () => {
    expect(parametersThat(hasFallback)).toEqual([]);
  });
});
