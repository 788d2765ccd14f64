import { JsonPathError } from './cursor.ts';
import { pathFunctions } from './functions.ts';
import { PathParser } from './path-parser.ts';

/** A step of a path that can be followed while the text of a document is read. */
export type PathStep =
  | { readonly type: 'property'; readonly names: readonly string[] }
  | { readonly type: 'index'; readonly indexes: readonly number[] }
  | { readonly type: 'wildcard' };

/**
 * Returns the steps of a path that has only names, indexes and wildcards. Such a path needs no whole document.
 * @throws JsonPathError for every other path
 */
export function pathSteps(path: string): PathStep[] {
  const { tokens } = new PathParser(
    pathFunctions((value) => value),
    () => () => false,
  ).parse(path);
  return tokens.map((token) => {
    if (token.type === 'property' || token.type === 'wildcard') return token;
    if (token.type === 'index' && token.indexes.every((index) => index >= 0)) return token;
    throw new JsonPathError(path, 0, 'Only names, indexes from 0 and [*] are possible');
  });
}
