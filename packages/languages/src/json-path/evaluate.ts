import { isDefinite, type Token } from './tokens.ts';

/** Collects the results, and decides the result for a missing property at the end of a path. */
interface Walk {
  readonly tokens: readonly Token[];
  readonly root: unknown;
  readonly missingAsNull: boolean;
  readonly found: (value: unknown) => void;
}

/** A path of tokens, ready to run on any document. */
export class TokenPath {
  readonly tokens: readonly Token[];
  readonly definite: boolean;
  /** True if the path begins at the document (`$`), false if it begins at the item of a filter (`@`). */
  readonly fromRoot: boolean;

  constructor(tokens: readonly Token[], fromRoot: boolean) {
    this.tokens = tokens;
    this.fromRoot = fromRoot;
    this.definite = isDefinite(tokens);
  }

  /** Returns the value of a definite path, or undefined. For an indefinite path, returns a list of all values. */
  evaluate(item: unknown, root: unknown): unknown {
    if (!this.definite) return this.all(item, root);
    let result: unknown;
    this.#walk(item, root, true, (value) => {
      result = value;
    });
    return result;
  }

  /** Returns all values, with null for a missing property at the end of the path. */
  all(item: unknown, root: unknown): unknown[] {
    const values: unknown[] = [];
    this.#walk(item, root, true, (value) => values.push(value));
    return values;
  }

  exists(item: unknown, root: unknown): boolean {
    let exists = false;
    this.#walk(item, root, false, () => {
      exists = true;
    });
    return exists;
  }

  #walk(item: unknown, root: unknown, missingAsNull: boolean, found: (value: unknown) => void): void {
    step({ tokens: this.tokens, root, missingAsNull, found }, 0, this.fromRoot ? root : item);
  }
}

/** Applies the tokens from index `at` to a value. */
function step(walk: Walk, at: number, model: unknown): void {
  const token = walk.tokens[at];
  if (token === undefined) {
    walk.found(model);
    return;
  }
  switch (token.type) {
    case 'property':
      if (model instanceof Map) properties(walk, at, model, token.names);
      return;
    case 'wildcard':
      for (const value of children(model)) step(walk, at + 1, value);
      return;
    case 'index':
      if (Array.isArray(model)) for (const index of token.indexes) element(walk, at, model, index);
      return;
    case 'slice':
      if (Array.isArray(model)) slice(walk, at, model, token);
      return;
    case 'filter':
      filter(walk, at, model, token);
      return;
    case 'scan':
      scan(walk, at + 1, model);
      return;
    case 'function': {
      const args = token.args.map((arg) => arg(model, walk.root));
      const result = token.call(model, args);
      if (result !== undefined) step(walk, at + 1, result);
    }
  }
}

function children(model: unknown): Iterable<unknown> {
  if (model instanceof Map) return model.values();
  return Array.isArray(model) ? model : [];
}

function properties(walk: Walk, at: number, model: Map<string, unknown>, names: readonly string[]): void {
  const last = at === walk.tokens.length - 1;
  if (last && names.length > 1) {
    const merged = new Map<string, unknown>();
    for (const name of names) if (model.has(name) || walk.missingAsNull) merged.set(name, model.get(name) ?? null);
    // A test for existence requires the whole path.
    if (merged.size === new Set(names).size) walk.found(merged);
    return;
  }
  for (const name of names) {
    if (model.has(name)) step(walk, at + 1, model.get(name));
    else if (last && walk.missingAsNull) walk.found(null);
  }
}

function element(walk: Walk, at: number, model: readonly unknown[], index: number): void {
  const effective = index < 0 ? model.length + index : index;
  if (effective >= 0 && effective < model.length) step(walk, at + 1, model[effective]);
}

function slice(walk: Walk, at: number, model: readonly unknown[], range: Token & { type: 'slice' }): void {
  const bound = (index: number): number =>
    Math.max(0, Math.min(model.length, index < 0 ? model.length + index : index));
  const from = bound(range.from ?? 0);
  const to = bound(range.to ?? model.length);
  for (let index = from; index < to; index += range.step) step(walk, at + 1, model[index]);
}

/** Applies a filter: it selects the elements of a list, but accepts or rejects an object as a whole. */
function filter(walk: Walk, at: number, model: unknown, token: Token & { type: 'filter' }): void {
  if (model instanceof Map) {
    if (token.test(model, walk.root)) step(walk, at + 1, model);
  } else if (Array.isArray(model)) {
    for (const item of model) if (token.test(item, walk.root)) step(walk, at + 1, item);
  }
}

/** Applies the token after `..` to a value and everything below it, parents first. */
function scan(walk: Walk, at: number, model: unknown): void {
  if (!(model instanceof Map) && !Array.isArray(model)) return;
  const token = walk.tokens[at];
  // A filter after `..` is first applied to the list as a whole.
  if (token?.type !== 'filter' || token.test(model, walk.root)) step(walk, at, model);
  for (const value of children(model)) scan(walk, at, value);
}
