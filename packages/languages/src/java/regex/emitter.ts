import { emitSet, needsSetNotation } from './char-set.ts';
import { GRAPHEME_CLUSTER } from './grapheme.ts';
import { JavaRegexError } from './java-regex-error.ts';
import { isEmptyLast, lengthOf } from './lengths.ts';
import { alignLookbehind } from './lookbehind.ts';
import { childrenOf, type Reach, reachOfReferences } from './references.ts';
import type { Node, ReferenceNode, RepeatNode, Syntax } from './syntax.ts';

/** A JavaScript pattern. */
export interface Emitted {
  readonly source: string;
  /** The flag of the pattern. Both match by code points: `v` has operators on sets, `u` is faster. */
  readonly flag: 'u' | 'v';
  /** The JavaScript number of each Java group; 0 stays 0. They differ if an emulation needs additional groups. */
  readonly groups: readonly number[];
  /** The number of groups in the JavaScript pattern. */
  readonly emittedGroupCount: number;
}

/**
 * Writes a Java pattern as a JavaScript one.
 * @throws JavaRegexError for a pattern that JavaScript cannot express
 */
export function emitPattern(syntax: Syntax, pattern: string): Emitted {
  const emitter = new Emitter(syntax, pattern);
  const source = emitter.emit(syntax.root);
  return { source, flag: emitter.flag, groups: emitter.groups, emittedGroupCount: emitter.count };
}

class Emitter {
  readonly groups: number[] = [0];
  count = 0;
  flag: 'u' | 'v' = 'u';
  readonly #pattern: string;
  readonly #reaches: ReadonlyMap<ReferenceNode, Reach>;
  /** The Java numbers of the groups that can match the empty text. */
  readonly #emptiable: ReadonlySet<number>;

  constructor(syntax: Syntax, pattern: string) {
    this.#pattern = pattern;
    this.#reaches = reachOfReferences(syntax, pattern);
    this.#emptiable = emptiableGroups(syntax.root);
  }

  /** Returns the source of a node, without a group around an alternation. */
  emit(node: Node): string {
    switch (node.type) {
      case 'empty':
        return '';
      case 'set':
        if (needsSetNotation(node.set)) this.flag = 'v';
        return emitSet(node.set);
      case 'sequence':
        return node.items.map((item) => this.#inSequence(item)).join('');
      case 'alternation':
        return node.options.map((option) => this.emit(option)).join('|');
      case 'group':
        this.groups[node.index] = ++this.count;
        return `(${this.emit(node.body)})`;
      case 'atomic':
        return this.#atomic(() => this.emit(node.body));
      case 'look': {
        const body = node.backward ? alignLookbehind(node, this.#pattern) : node.body;
        return `(?${node.backward ? '<' : ''}${node.negative ? '!' : '='}${this.emit(body)})`;
      }
      case 'forward':
        return `(?=${this.emit(node.body)})[^]{${node.length}}`;
      case 'assertion':
        return node.source;
      case 'grapheme':
        return this.#atomic(() => GRAPHEME_CLUSTER);
      case 'repeat':
        return node.mode === 'possessive' ? this.#atomic(() => this.#repeat(node)) : this.#repeat(node);
      case 'reference':
        return this.#reference(node);
    }
  }

  #inSequence(node: Node): string {
    return node.type === 'alternation' ? `(?:${this.emit(node)})` : this.emit(node);
  }

  /** Emulates an atomic group: a lookahead never backtracks into its match, and a back-reference repeats that match. */
  #atomic(emitBody: () => string): string {
    const index = ++this.count;
    return `(?:(?=(${emitBody()}))\\${index})`;
  }

  #repeat(node: RepeatNode): string {
    const { body, min, max } = node;
    const lazy = node.mode === 'lazy';
    if (lengthOf(body).min === 0) {
      // If an optional iteration matches nothing, JavaScript undoes it, including the matches of its groups.
      if (min === 0 && max === 1) return lazy ? `(?:|${this.emit(body)})` : `(?:${this.emit(body)}|)`;
      if (max > 1 && !lazy && !isEmptyLast(body)) {
        throw this.#unsupported(
          node,
          'repeating something that may match nothing before it tries to match more is not supported; let it match at least one character',
        );
      }
    }
    const source = this.emit(body);
    const atom = body.type === 'set' || body.type === 'group' ? source : `(?:${source})`;
    return `${atom}${quantifier(min, max)}${lazy ? '?' : ''}`;
  }

  #reference(node: ReferenceNode): string {
    const reach = this.#reaches.get(node);
    if (reach === undefined || reach === 'never') return '(?!)';
    const number = this.groups[node.index]!;
    const reference = `(?${node.ignoreCase ? 'i' : ''}:\\${number})`;
    if (reach === 'always') return reference;
    if (this.#emptiable.has(node.index)) {
      throw this.#unsupported(
        node,
        'a back-reference to a group that may be unset, and may also match nothing, is not supported',
      );
    }
    // In JavaScript, a reference to an unset group matches the empty text, but in Java it fails. If the rest of the
    // text is the same before and after the reference, it has matched nothing, so this pattern fails.
    const rest = ++this.count;
    return `(?=([^]*))${reference}(?!\\${rest}$)`;
  }

  #unsupported(node: { readonly position: number }, problem: string): JavaRegexError {
    return new JavaRegexError(problem, this.#pattern, node.position);
  }
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function emptiableGroups(root: Node): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (node: Node): void => {
    if (node.type === 'group' && lengthOf(node).min === 0) found.add(node.index);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return found;
}
