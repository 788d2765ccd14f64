import { append, Constructed, type Item, isTrue, numberOf, Sequence } from './items.ts';
import type { Compile, Evaluate, Scope } from './scope.ts';
import { type Group, leave, type Stage, type Syntax } from './syntax.ts';
import type { JsonObject, Value } from './values.ts';

/** Keeps or drops items, by the condition or index in a pair of brackets. */
export type Filter = (items: Item, scope: Scope) => Value[];

/** Processes the items of a step of a path. */
type Step = (items: readonly Item[], scope: Scope, last: boolean) => Value[];

/** Compiles a path: each step is evaluated for every item of the step before. */
export function compilePath(syntax: Syntax, compile: Compile): Evaluate {
  const steps = syntax.steps as readonly Syntax[];
  const names = plainNames(syntax);
  const general = compileSteps(steps, compile, syntax.keepSingletonArray === true);
  if (names === undefined) return general;
  return (input, scope) => {
    let item = input;
    for (let i = 0; i < names.length; i++) {
      if (!(item instanceof Map)) return Array.isArray(item) ? general(input, scope) : undefined;
      item = item.get(names[i] as string);
    }
    return item;
  };
}

/** Returns the names of a path that has only names. Such a path usually leads through nested objects, without lists. */
function plainNames({ steps = [], keepSingletonArray }: Syntax): string[] | undefined {
  if (keepSingletonArray === true) return undefined;
  const plain = steps.every(
    ({ type, stages, predicate, group }) =>
      type === 'name' && stages === undefined && predicate === undefined && group === undefined,
  );
  if (!plain) return undefined;
  return steps.map((step) => step.value as string);
}

function compileSteps(steps: readonly Syntax[], compile: Compile, keepSingleton: boolean): Evaluate {
  const [first] = steps;
  const absolute = first?.type === 'variable';
  const compiled = steps.map((step) => {
    if (step.type === 'sort') return compileSort(step, compile);
    return step === first && step.consarray === true ? compileFirstList(step, compile) : compileStep(step, compile);
  });
  return (input, scope) => {
    let items: readonly Item[] = Array.isArray(input) && !absolute ? input : [input];
    let result: Value[] = [];
    for (let i = 0; i < compiled.length; i++) {
      result = (compiled[i] as Step)(items, scope, i === compiled.length - 1);
      if (result.length === 0) break;
      items = result;
    }
    if (keepSingleton && result instanceof Constructed) leave();
    if (keepSingleton && result instanceof Sequence) result.keepSingleton = true;
    return result;
  };
}

/** Compiles a list at the start of a path, which is created once, not for each item. */
function compileFirstList(syntax: Syntax, compile: Compile): Step {
  const evaluate = compile(syntax);
  if (syntax.stages !== undefined) leave();
  return (items, scope) => {
    const input = items instanceof Sequence ? items : Sequence.from(items as readonly Value[]);
    return evaluate(input as Value, scope) as Value[];
  };
}

function compileStep(syntax: Syntax, compile: Compile): Step {
  const evaluate = compile(syntax);
  const filters = compileFilters(syntax.stages, compile);
  return (items, scope, last) => {
    const found: Value[] = [];
    for (let i = 0; i < items.length; i++) {
      let result = evaluate(items[i], scope);
      for (const filter of filters) result = filter(result, scope);
      if (result !== undefined) found.push(result);
    }
    const [only] = found;
    if (last && found.length === 1 && Array.isArray(only) && !(only instanceof Sequence)) return only;
    const sequence = new Sequence();
    for (let i = 0; i < found.length; i++) {
      const result = found[i] as Value;
      if (!Array.isArray(result) || result instanceof Constructed) sequence.push(result);
      else for (let j = 0; j < result.length; j++) sequence.push(result[j] as Value);
    }
    return sequence;
  };
}

export function compileFilters(stages: readonly Stage[] | undefined, compile: Compile): Filter[] {
  return (stages ?? []).map((stage) => {
    if (stage.type !== 'filter') leave();
    if (stage.expr.type === 'number') return pick(Math.floor(stage.expr.value as number));
    return filterBy(compile(stage.expr));
  });
}

/** Returns a filter for the item at an index, counted from the end if it is negative. */
function pick(index: number): Filter {
  return (items) => {
    const list = Array.isArray(items) ? items : [items];
    const item = list[index < 0 ? list.length + index : index];
    if (Array.isArray(item)) return item;
    const found = new Sequence();
    if (item !== undefined) found.push(item);
    return found;
  };
}

/** Returns a filter for the items that meet a condition. If the expression returns numbers, they are indices. */
function filterBy(evaluate: Evaluate): Filter {
  return (items, scope) => {
    const found = new Sequence();
    const list = Array.isArray(items) ? items : [items];
    for (let at = 0; at < list.length; at++) {
      const item = list[at];
      const result = evaluate(item, scope);
      const index = numberOf(result);
      if (index !== undefined ? isAt(index, at, list.length) : !Array.isArray(result) && isTrue(result)) {
        // If the condition matches a missing value, the library adds undefined to the list.
        found.push(item === undefined ? leave() : item);
      } else if (Array.isArray(result)) {
        const indices = Array.from(result, numberOf);
        if (!indices.includes(undefined)) {
          for (const one of indices)
            if (isAt(one as number, at, list.length)) found.push(item === undefined ? leave() : item);
        } else if (isTrue(result)) found.push(item === undefined ? leave() : item);
      }
    }
    return found;
  };
}

function isAt(index: number, at: number, length: number): boolean {
  const whole = Math.floor(index);
  return (whole < 0 ? length + whole : whole) === at;
}

function compileSort({ terms = [], stages }: Syntax, compile: Compile): Step {
  const compiled = terms.map(({ expression, descending }) => ({ evaluate: compile(expression), descending }));
  const filters = compileFilters(stages, compile);
  return (items, scope) => {
    let result: Item = mergeSort(items as readonly Value[], (left, right) => {
      for (const { evaluate, descending } of compiled) {
        const order = compareKeys(evaluate(left, scope), evaluate(right, scope), descending);
        if (order !== 0) return order > 0;
      }
      return false;
    });
    for (const filter of filters) result = filter(result, scope);
    return result as Value[];
  };
}

/** Compares sort keys, which must be all numbers or all texts. Items without a key are last in both directions. */
function compareKeys(left: Item, right: Item, descending: boolean): number {
  if (left === undefined) return right === undefined ? 0 : 1;
  if (right === undefined) return -1;
  const first = typeof left === 'string' ? left : (numberOf(left) ?? leave());
  const second = typeof right === 'string' ? right : (numberOf(right) ?? leave());
  if (typeof first !== typeof second) leave();
  const order = first === second ? 0 : first < second ? -1 : 1;
  return descending ? -order : order;
}

/** Sorts with the same comparisons in the same order as the library, because the comparison may be any function. */
export function mergeSort(list: readonly Value[], isAfter: (left: Value, right: Value) => boolean): Value[] {
  if (list.length <= 1) return list as Value[];
  const middle = Math.floor(list.length / 2);
  const left = mergeSort(list.slice(0, middle), isAfter);
  const right = mergeSort(list.slice(middle), isAfter);
  const merged: Value[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push((isAfter(left[l] as Value, right[r] as Value) ? right[r++] : left[l++]) as Value);
  }
  while (l < left.length) merged.push(left[l++] as Value);
  while (r < right.length) merged.push(right[r++] as Value);
  return merged;
}

/** Compiles an object. Over several items, each key groups the items with the same key. */
export function compileGroup({ lhs }: Group, compile: Compile): Evaluate {
  const pairs = lhs.map(([key, value]) => ({ key: compile(key), value: compile(value) }));
  return (input, scope) => {
    const items: readonly Item[] = Array.isArray(input) ? (input.length === 0 ? [undefined] : input) : [input];
    const groups = new Map<string, { data: Item; pair: number }>();
    for (const item of items) {
      for (let pair = 0; pair < pairs.length; pair++) {
        const key = (pairs[pair] as (typeof pairs)[number]).key(item, scope);
        if (key === undefined) continue;
        if (typeof key !== 'string' || key.startsWith('_jsonata_')) return leave();
        const group = groups.get(key);
        if (group === undefined) groups.set(key, { data: item, pair });
        else if (group.pair !== pair) return leave();
        else group.data = append(group.data, item);
      }
    }
    const object: JsonObject = new Map();
    for (const [key, { data, pair }] of groups) {
      const value = (pairs[pair] as (typeof pairs)[number]).value(data, scope);
      if (value !== undefined) object.set(key, value);
    }
    return object;
  };
}
