import { compileCall, compileChain, type Library } from './functions.ts';
import {
  append,
  areEqual,
  Constructed,
  computed,
  type Item,
  isTrue,
  lookUp,
  numberOf,
  Sequence,
  textOfItem,
} from './items.ts';
import { compileFilters, compileGroup, compilePath } from './path.ts';
import { type Compile, type Evaluate, Scope } from './scope.ts';
import { type Group, leave, type Syntax } from './syntax.ts';
import type { Value } from './values.ts';

/** The maximum length of a range. The library evaluates longer ranges, and has a limit. */
const MAX_RANGE = 100_000;

/**
 * The properties that a node may have, by type, in addition to the common ones. Any other property could change the
 * meaning of the node.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  path: ['steps', 'keepSingletonArray'],
  name: ['stages'],
  wildcard: ['stages'],
  descendant: ['stages'],
  variable: ['stages'],
  string: ['stages'],
  number: ['stages'],
  value: ['stages'],
  binary: ['lhs', 'rhs', 'stages'],
  unary: ['lhs', 'expression', 'expressions', 'consarray', 'stages'],
  condition: ['condition', 'then', 'else', 'stages'],
  block: ['expressions', 'stages'],
  function: ['procedure', 'arguments', 'stages'],
  apply: ['lhs', 'rhs', 'stages'],
  sort: ['terms', 'stages'],
};
const COMMON = new Set(['type', 'value', 'position', 'predicate', 'group', 'keepArray']);

/**
 * Compiles the syntax trees of ordinary expressions: paths, conditions and indices in brackets, sorting, literals,
 * operators, lists, objects and groups, variables, and most functions. Throws `LeftToLibrary` for all others.
 */
export class Compiler {
  readonly #library: Library;

  /** @param library functions of the library that are used unchanged */
  constructor(library: Library) {
    this.#library = library;
  }

  readonly compile: Compile = (syntax, lastCall = false) => {
    const known = KNOWN[syntax.type] ?? leave();
    for (const [key, value] of Object.entries(syntax)) {
      if (value !== undefined && !COMMON.has(key) && !known.includes(key)) leave();
    }
    return this.#finished(syntax, this.#node(syntax), lastCall);
  };

  /** Applies the parts that can follow any expression, and converts a sequence to its value. */
  #finished(syntax: Syntax, evaluate: Evaluate, lastCall: boolean): Evaluate {
    const filters = compileFilters(syntax.predicate, this.compile);
    const group = syntax.group && compileGroup(syntax.group, this.compile);
    const keep = syntax.keepArray === true;
    return (input, scope) => {
      let result = evaluate(input, scope);
      for (const filter of filters) result = filter(result, scope);
      if (group !== undefined) result = group(result, scope);
      if (!(result instanceof Sequence)) return result;
      if (keep) result.keepSingleton = true;
      if (result.length > 1) return result;
      if (lastCall) leave();
      return result.length === 0 ? undefined : result.keepSingleton ? result : result[0];
    };
  }

  #node(syntax: Syntax): Evaluate {
    switch (syntax.type) {
      case 'path':
        return compilePath(syntax, this.compile);
      case 'name': {
        const name = syntax.value as string;
        return (input) => lookUp(input, name);
      }
      case 'string':
      case 'number':
      case 'value': {
        const value = typeof syntax.value === 'number' ? computed(syntax.value) : (syntax.value as Value);
        return () => value;
      }
      case 'variable':
        return this.#variable(syntax.value as string);
      case 'wildcard':
        return wildcard;
      case 'descendant':
        return descendants;
      case 'binary':
        return this.#binary(syntax);
      case 'unary':
        return this.#unary(syntax);
      case 'condition': {
        const condition = this.compile(syntax.condition as Syntax);
        const then = this.compile(syntax.then as Syntax);
        const otherwise = syntax.else === undefined ? () => undefined : this.compile(syntax.else);
        return (input, scope) => (isTrue(condition(input, scope)) ? then : otherwise)(input, scope);
      }
      case 'block':
        return this.#block(syntax.expressions as readonly Syntax[]);
      case 'function':
        return compileCall(syntax, this.compile, this.#library);
      case 'apply':
        return compileChain(syntax, this.compile, this.#library);
      default:
        return leave();
    }
  }

  #variable(name: string): Evaluate {
    if (name === '') return (input) => (input instanceof Sequence && input.outer ? input[0] : input);
    if (name === '$') return (_input, scope) => scope.root.input;
    // Names of functions are also variables.
    if (this.#library.isFunction(name)) leave();
    return (_input, scope) => scope.get(name);
  }

  #block(expressions: readonly Syntax[]): Evaluate {
    const steps = expressions.map((syntax) => {
      if (syntax.type !== 'bind') return this.compile(syntax);
      const name = (syntax.lhs as Syntax).value as string;
      if (this.#library.isFunction(name) || syntax.predicate !== undefined || syntax.group !== undefined) leave();
      const value = this.compile(syntax.rhs as Syntax);
      return (input: Item, scope: Scope) => {
        const item = value(input, scope);
        scope.bind(name, item);
        return item;
      };
    });
    if (steps.length === 1 && expressions[0]?.type !== 'bind') return steps[0] as Evaluate;
    return (input, outer) => {
      const scope = new Scope(outer.root, outer);
      let result: Item;
      for (const step of steps) result = step(input, scope);
      return result;
    };
  }

  #unary(syntax: Syntax): Evaluate {
    if (syntax.value === '{') return compileGroup(syntax as unknown as Group, this.compile);
    if (syntax.value === '-') {
      const operand = this.compile(syntax.expression as Syntax);
      return (input, scope) => {
        const item = operand(input, scope);
        return item === undefined ? undefined : computed(-(numberOf(item) ?? leave()));
      };
    }
    if (syntax.value !== '[') return leave();
    const members = (syntax.expressions as readonly Syntax[]).map((member) => ({
      evaluate: this.compile(member),
      list: member.value === '[',
    }));
    const constructed = syntax.consarray === true;
    return (input, scope) => {
      const result: Value[] = constructed ? new Constructed() : [];
      for (const { evaluate, list } of members) {
        const item = evaluate(input, scope);
        if (item === undefined) continue;
        if (!list && Array.isArray(item)) for (const member of item) result.push(member);
        else result.push(item);
      }
      return result;
    };
  }

  #binary({ value: operator, lhs, rhs }: Syntax): Evaluate {
    const left = this.compile(lhs as Syntax);
    const right = this.compile(rhs as Syntax);
    switch (operator) {
      case 'and':
        return (input, scope) => isTrue(left(input, scope)) && isTrue(right(input, scope));
      case 'or':
        return (input, scope) => isTrue(left(input, scope)) || isTrue(right(input, scope));
      case '&':
        return (input, scope) => textOfItem(left(input, scope)) + textOfItem(right(input, scope));
      case '=':
      case '!=': {
        const equal = operator === '=';
        return (input, scope) => {
          const one = left(input, scope);
          const other = right(input, scope);
          return one !== undefined && other !== undefined && areEqual(one, other) === equal;
        };
      }
      case 'in':
        return (input, scope) => isIn(left(input, scope), right(input, scope));
      case '..':
        return (input, scope) => range(left(input, scope), right(input, scope));
    }
    const apply = ARITHMETIC[operator as string];
    if (apply !== undefined) {
      return (input, scope) => {
        const one = left(input, scope);
        const other = right(input, scope);
        const first = one === undefined ? 0 : (numberOf(one) ?? leave());
        const second = other === undefined ? 0 : (numberOf(other) ?? leave());
        return one === undefined || other === undefined ? undefined : computed(apply(first, second));
      };
    }
    const test = ORDER[operator as string] ?? leave();
    return (input, scope) => {
      const first = comparable(left(input, scope));
      const second = comparable(right(input, scope));
      if (first === undefined || second === undefined) return undefined;
      return typeof first === typeof second ? test(first, second) : leave();
    };
  }
}

const ARITHMETIC: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

const ORDER: Readonly<Record<string, (left: string | number, right: string | number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function comparable(item: Item): string | number | undefined {
  return typeof item === 'string' || item === undefined ? item : (numberOf(item) ?? leave());
}

function isIn(item: Item, list: Item): boolean {
  if (item === undefined || list === undefined) return false;
  const number = numberOf(item);
  const members = Array.isArray(list) ? list : [list];
  return members.some((member) => member === item || (number !== undefined && numberOf(member) === number));
}

function range(from: Item, to: Item): Item {
  const first = from === undefined ? undefined : (numberOf(from) ?? leave());
  const last = to === undefined ? undefined : (numberOf(to) ?? leave());
  if ((first !== undefined && !Number.isInteger(first)) || (last !== undefined && !Number.isInteger(last))) leave();
  if (first === undefined || last === undefined || first > last) return undefined;
  // The library would never finish such a range.
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) throw new TypeError('a range is beyond 2^53');
  if (last - first >= MAX_RANGE) leave();
  const sequence = new Sequence();
  for (let value = first; value <= last; value++) sequence.push(value);
  return sequence;
}

function wildcard(input: Item): Item {
  const object = input instanceof Sequence && input.outer ? input[0] : input;
  const found = new Sequence();
  if (!(object instanceof Map)) return Array.isArray(object) && object.length > 0 ? leave() : found;
  let result: Item = found;
  for (const value of object.values()) {
    if (Array.isArray(value)) result = append(result, flat(value));
    else (result as Value[]).push(value);
  }
  return result;
}

function flat(list: readonly Value[]): Value[] {
  const all: Value[] = [];
  for (const item of list) {
    if (Array.isArray(item)) for (const member of flat(item)) all.push(member);
    else all.push(item);
  }
  return all;
}

function descendants(input: Item): Item {
  if (input === undefined) return undefined;
  const found = new Sequence();
  collect(input, found);
  return found.length === 1 ? found[0] : found;
}

function collect(value: Value, found: Value[]): void {
  if (Array.isArray(value)) for (const member of value) collect(member, found);
  else {
    found.push(value);
    if (value instanceof Map) for (const member of value.values()) collect(member, found);
  }
}
