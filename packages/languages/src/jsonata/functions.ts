import { decodeBase64 } from './base64.ts';
import { append, areEqual, computed, type Item, isTrue, lookUp, numberOf, Sequence, textOfItem } from './items.ts';
import { mergeSort } from './path.ts';
import type { Regexes } from './regexes.ts';
import { type Compile, type Evaluate, Scope } from './scope.ts';
import { leave, type Syntax } from './syntax.ts';
import { compileTextCall } from './text-functions.ts';
import { isDouble, type JsonObject, type Value } from './values.ts';

type Scalar = string | number | boolean;

/** The functions of the library for scalars, which are called unchanged. */
export interface Library {
  readonly regexes: Regexes;
  /** Returns whether the library has a function with this name. */
  isFunction(name: string): boolean;
  /** Calls a function of the library. */
  call(name: string, args: readonly (Scalar | undefined)[]): unknown;
}

interface Rule {
  readonly least: number;
  readonly most: number;
  /** True if the context replaces a missing first argument. */
  readonly context?: boolean;
  apply(args: readonly Item[]): Item;
}

/** Compiles the call of a function by its name. */
export function compileCall(syntax: Syntax, compile: Compile, library: Library): Evaluate {
  return compileNamed(nameOf(syntax.procedure as Syntax), syntax.arguments as readonly Syntax[], compile, library);
}

/** Compiles `value ~> $function` and `value ~> $function(…)`: the value is the first argument. */
export function compileChain({ lhs, rhs }: Syntax, compile: Compile, library: Library): Evaluate {
  const right = rhs as Syntax;
  if (right.predicate !== undefined || right.group !== undefined || right.keepArray === true) leave();
  const first = lhs as Syntax;
  if (right.type === 'variable') return compileNamed(nameOf(right), [first], compile, library);
  if (right.type !== 'function') return leave();
  const rest = right.arguments as readonly Syntax[];
  return compileNamed(nameOf(right.procedure as Syntax), [first, ...rest], compile, library);
}

function nameOf(procedure: Syntax): string {
  return procedure.type === 'variable' && procedure.predicate === undefined ? (procedure.value as string) : leave();
}

function compileNamed(name: string, args: readonly Syntax[], compile: Compile, library: Library): Evaluate {
  if (Object.hasOwn(HIGHER, name)) return (HIGHER[name] as Higher)(args, compile);
  const ofText = compileTextCall(name, args, compile, library.regexes);
  if (ofText !== undefined) return ofText;
  if (args.length === 0 && (name === 'now' || name === 'millis')) {
    return (_input, { root }) => {
      root.time ??= Date.now();
      return name === 'millis' ? root.time : new Date(root.time).toISOString();
    };
  }
  const rule = Object.hasOwn(RULES, name) ? (RULES[name] as Rule) : libraryRule(name, library);
  const { least, most, context } = rule;
  if (context === true && args.length === 0 && least === 1) {
    return (input) => rule.apply([input === undefined || input instanceof Sequence ? leave() : input]);
  }
  if (args.length < least || args.length > most) leave();
  const compiled = args.map((arg) => compile(arg));
  return (input, scope) => rule.apply(compiled.map((evaluate) => evaluate(input, scope)));
}

/** Functions with their own implementation, because they must keep whole doubles and long integers unchanged. */
const RULES: Readonly<Record<string, Rule>> = {
  count: of(1, 1, ([list]) => (list === undefined ? 0 : Array.isArray(list) ? list.length : 1)),
  exists: of(1, 1, ([item]) => item !== undefined),
  boolean: inContext(of(1, 1, ([item]) => (item === undefined ? undefined : isTrue(item)))),
  not: inContext(of(1, 1, ([item]) => (item === undefined ? undefined : !isTrue(item)))),
  string: inContext(of(1, 1, ([item]) => (item === undefined ? undefined : textOfItem(item)))),
  type: of(1, 1, ([item]) => (item === undefined ? undefined : typeName(item))),
  sum: ofNumbers((numbers) => numbers.reduce((sum, number) => sum + number, 0)),
  average: ofNumbers((numbers) =>
    numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0) / numbers.length,
  ),
  max: ofNumbers((numbers) => (numbers.length === 0 ? undefined : numbers.reduce((a, b) => Math.max(a, b)))),
  min: ofNumbers((numbers) => (numbers.length === 0 ? undefined : numbers.reduce((a, b) => Math.min(a, b)))),
  append: of(2, 2, ([left, right]) => append(left, right)),
  reverse: of(1, 1, ([list]) => {
    if (list === undefined || !Array.isArray(list)) return list === undefined ? undefined : [list];
    return list.length <= 1 ? list : [...list].reverse();
  }),
  distinct: of(1, 1, ([list]) => {
    if (!Array.isArray(list) || list.length <= 1) return list;
    const distinct: Value[] = list instanceof Sequence ? new Sequence() : [];
    for (const item of list) if (!distinct.some((other) => areEqual(item, other))) distinct.push(item);
    return distinct;
  }),
  lookup: of(2, 2, ([input, key]) => lookUp(input, typeof key === 'string' ? key : leave())),
  keys: inContext(
    of(1, 1, ([input]) => {
      const found = new Set<string>();
      for (const object of Array.isArray(input) ? input : [input]) {
        if (object instanceof Map) for (const key of object.keys()) found.add(key);
        else if (Array.isArray(object)) leave();
      }
      return Sequence.from(found) as Sequence;
    }),
  ),
  merge: of(1, 1, ([objects]) => {
    if (objects === undefined) return undefined;
    const merged: JsonObject = new Map();
    for (const object of Array.isArray(objects) ? objects : [objects]) {
      for (const [key, value] of object instanceof Map ? object : leave()) merged.set(key, value);
    }
    return merged;
  }),
  join: of(1, 2, ([list, separator = '']) => {
    if (list === undefined) return undefined;
    const texts = Array.isArray(list) ? list : [list];
    if (typeof separator !== 'string' || !texts.every((text) => typeof text === 'string')) leave();
    return texts.join(separator as string);
  }),
  // The library treats each character as a byte.
  base64encode: inContext(
    of(1, 1, ([text]) => text && Buffer.from(typeof text === 'string' ? text : leave()).toString('base64')),
  ),
  base64decode: inContext(
    of(1, 1, ([text]) => text && (decodeBase64(typeof text === 'string' ? text : leave()) ?? leave()).toString()),
  ),
};

/**
 * The argument types of the library's functions: s(tring), n(umber), b(oolean). Arguments in lower case are optional.
 */
const SIGNATURES: Readonly<Record<string, string>> = {
  substring: 'SNn',
  substringBefore: 'SS',
  substringAfter: 'SS',
  lowercase: 'S',
  uppercase: 'S',
  length: 'S',
  trim: 'S',
  pad: 'SNs',
  formatNumber: 'NS',
  formatBase: 'Nn',
  formatInteger: 'NS',
  parseInteger: 'SS',
  floor: 'N',
  ceil: 'N',
  round: 'Nn',
  abs: 'N',
  sqrt: 'N',
  power: 'NN',
  encodeUrlComponent: 'S',
  encodeUrl: 'S',
  decodeUrlComponent: 'S',
  decodeUrl: 'S',
  toMillis: 'S',
  fromMillis: 'Nss',
  number: '*',
};

const TYPES: Readonly<Record<string, string>> = { s: 'string', n: 'number', b: 'boolean' };

function libraryRule(name: string, library: Library): Rule {
  const signature = Object.hasOwn(SIGNATURES, name) ? (SIGNATURES[name] as string) : leave();
  const least = signature.replace(/[a-z]/g, '').length;
  return inContext(
    of(least, signature.length, (args) => {
      if (args[0] === undefined) return undefined;
      const scalars = args.map((arg, i) => {
        const scalar = typeof arg === 'string' || typeof arg === 'boolean' ? arg : (numberOf(arg) ?? leave());
        const type = (signature[i] as string).toLowerCase();
        return type === '*' || typeof scalar === TYPES[type] ? scalar : leave();
      });
      let result: unknown;
      try {
        result = library.call(name, scalars);
      } catch {
        return leave();
      }
      if (typeof result === 'number') return computed(result);
      return typeof result === 'string' || result === undefined ? result : leave();
    }),
  );
}

type Higher = (args: readonly Syntax[], compile: Compile) => Evaluate;

/** The functions with a function as argument, which must be written in the call. */
const HIGHER: Readonly<Record<string, Higher>> = {
  map: (args, compile) => {
    const [list, call] = listAndFunction(args, compile);
    return (input, scope) => {
      const items = listOf(list(input, scope));
      if (items === undefined) return undefined;
      const found = new Sequence();
      for (let at = 0; at < items.length; at++) {
        const result = call(input, scope, [items[at], at, items]);
        if (result !== undefined) found.push(result);
      }
      return found;
    };
  },
  filter: (args, compile) => {
    const [list, call] = listAndFunction(args, compile);
    return (input, scope) => {
      const items = listOf(list(input, scope));
      if (items === undefined) return undefined;
      const found = new Sequence();
      for (let at = 0; at < items.length; at++) {
        if (isTrue(call(input, scope, [items[at], at, items]))) found.push(items[at] as Value);
      }
      return found;
    };
  },
  reduce: (args, compile) => {
    if (args.length > 3 || (args[1]?.arguments?.length ?? 0) < 2) leave();
    const [list, call] = listAndFunction(args.slice(0, 2), compile);
    const start = args[2] === undefined ? undefined : compile(args[2]);
    return (input, scope) => {
      const items = listOf(list(input, scope));
      let result = start?.(input, scope);
      if (items === undefined) return undefined;
      let at = 0;
      if (result === undefined && items.length > 0) result = items[at++];
      for (; at < items.length; at++) result = call(input, scope, [result, items[at], at, items]);
      return result;
    };
  },
  sort: (args, compile) => {
    if (args.length === 1) {
      const list = compile(args[0] as Syntax);
      return (input, scope) => {
        const items = listOf(list(input, scope));
        if (items === undefined || items.length <= 1) return items;
        const keys = Array.from(items, (item) => (typeof item === 'string' ? item : (numberOf(item) ?? leave())));
        if (keys.some((key) => typeof key !== typeof keys[0])) leave();
        return mergeSort(
          items,
          (left, right) => (numberOf(left) ?? (left as string)) > (numberOf(right) ?? (right as string)),
        );
      };
    }
    const [list, call] = listAndFunction(args, compile);
    return (input, scope) => {
      const items = listOf(list(input, scope));
      // Any result that is true in JavaScript swaps the two items.
      return items && mergeSort(items, (left, right) => Boolean(call(input, scope, [left, right])));
    };
  },
};

type CallFunction = (input: Item, scope: Scope, args: readonly Item[]) => Item;

function listAndFunction(args: readonly Syntax[], compile: Compile): [Evaluate, CallFunction] {
  const [list, lambda] = args;
  if (args.length !== 2 || list === undefined || lambda?.type !== 'lambda') return leave();
  // The library evaluates a signature, or anything else after the function.
  const { type: _, position: __, arguments: parameters, body, ...more } = lambda as Syntax & { position?: number };
  const others = Object.values(more).some((value) => value !== undefined);
  if (others || parameters === undefined || body === undefined) return leave();
  // The library wraps a final call, so that recursion needs no stack. This evaluator does not.
  const lastCall = body.type === 'lambda' && body.thunk === true;
  // The library has no context here, and its function sort cannot call a function.
  if (lastCall && (body.body?.arguments?.length === 0 || body.body?.procedure?.value === 'sort')) leave();
  const names = parameters.map(({ value }) => value as string);
  const evaluate = compile(lastCall ? (body.body as Syntax) : body, lastCall);
  const call: CallFunction = (input, outer, values) => {
    const scope = new Scope(outer.root, outer);
    for (let i = 0; i < names.length; i++) scope.bind(names[i] as string, values[i]);
    return evaluate(input, scope);
  };
  return [compile(list), call];
}

function listOf(item: Item): Value[] | undefined {
  return item === undefined || Array.isArray(item) ? item : [item];
}

function of(least: number, most: number, apply: Rule['apply']): Rule {
  return { least, most, apply };
}

function inContext(rule: Rule): Rule {
  return { ...rule, context: true };
}

function ofNumbers(apply: (numbers: readonly number[]) => number | undefined): Rule {
  return of(1, 1, ([item]) => {
    const list = listOf(item);
    if (list === undefined) return undefined;
    const result = apply(Array.from(list, (member) => numberOf(member) ?? leave()));
    return result === undefined ? undefined : computed(result);
  });
}

function typeName(item: Value): string {
  if (item === null) return 'null';
  if (Array.isArray(item)) return 'array';
  if (item instanceof Map) return 'object';
  if (typeof item === 'bigint' || isDouble(item)) return 'number';
  return item instanceof Uint8Array ? leave() : typeof item;
}
