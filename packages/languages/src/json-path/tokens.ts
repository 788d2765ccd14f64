/** One step of a compiled path. Values are as the caller's reader created them, see `compileJsonPath`. */
export type Token =
  | { readonly type: 'property'; readonly names: readonly string[] }
  | { readonly type: 'wildcard' }
  | { readonly type: 'index'; readonly indexes: readonly number[] }
  | {
      readonly type: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
    }
  | { readonly type: 'filter'; readonly test: Test }
  | { readonly type: 'scan' }
  | { readonly type: 'function'; readonly call: PathFunction; readonly args: readonly Argument[] };

/** Whether a filter accepts `item`; `root` is the whole document. */
export type Test = (item: unknown, root: unknown) => boolean;

/** A value that a filter or a function computes from the document. */
export type Argument = (item: unknown, root: unknown) => unknown;

/** A function of a path. Returns undefined if it has no result, such as the sum of no numbers. */
export type PathFunction = (model: unknown, args: readonly unknown[]) => unknown;

/** Returns whether the rest of the path has at most one result. */
export function isDefinite(tokens: readonly Token[]): boolean {
  return tokens.every((token, at) => {
    switch (token.type) {
      case 'property':
        // Several names at the end result in one object.
        return token.names.length === 1 || at === tokens.length - 1;
      case 'index':
        return token.indexes.length === 1;
      case 'function':
        return true;
      default:
        return false;
    }
  });
}
