import type { BracketEvent } from './bracket-events.ts';
import { bracketEvents } from './bracket-events.ts';

/** The repairs of the brackets of a text, by offset. */
export interface BracketRepairs {
  /** The number of objects and lists that end before the token at an offset, without a bracket. */
  closes: ReadonlyMap<number, number>;
  /** The extra closing brackets. */
  strays: ReadonlySet<number>;
  /** The closing brackets of the wrong kind. */
  swaps: ReadonlySet<number>;
  /** The ends of strings that would include a bracket, by the start of the string. */
  stringEnds: ReadonlyMap<number, number>;
}

/**
 * Finds missing and extra brackets, with the smallest number of repairs. If there are several solutions, chooses the
 * one that matches the indentation. The algorithm is a beam search along the text: it only keeps the best states, so
 * each bracket needs a fixed number of steps.
 */
export function findRepairs(source: string, json: boolean): BracketRepairs {
  let states: State[] = [{ top: undefined, cost: 0, repairs: undefined, isDone: false }];
  let isBraced: boolean | undefined;
  for (const event of bracketEvents(source, json)) {
    isBraced ??= event.type === 'open';
    const search = new Step(event, isBraced);
    const isHopeless = states[0]!.cost > MOST_COST;
    for (const state of states) search.from(state, isHopeless ? 1 : MOST_CLOSES);
    states = search.best(isHopeless ? 1 : BEAM_WIDTH);
  }
  return collect(states[0]?.repairs);
}

const BEAM_WIDTH = 8;

/** The maximum number of objects and lists that may end at one position without brackets. */
const MOST_CLOSES = 6;

/** The maximum cost. Above it the search stops, because no user reads so many repairs. */
const MOST_COST = 100;

/** The costs. A repair costs one. A valid but unusual form costs less. A form that is probably intended costs least. */
const REPAIR = 1;
const SWAP = 1.1;
const ODD = 0.4;
/** The maximum number of unusual forms that are counted for each bracket. More of them are the style of the text. */
const MOST_ODD = 2;
const LIKELY = 0.05;

/** An open object or list. */
interface Open {
  kind: 'object' | 'list';
  at: number;
  line: number;
  indent: number;
  depth: number;
  below: Open | undefined;
  /**
   * The number of unusual fields: fields in a list, or fields that are not indented further than their list or object.
   */
  odd: number;
}

interface Repair {
  what: 'close' | 'stray' | 'swap' | 'string';
  at: number;
  string: number;
  before: Repair | undefined;
}

/** One way to interpret the brackets that have been read. */
interface State {
  top: Open | undefined;
  cost: number;
  repairs: Repair | undefined;
  /** True after the braces around the whole text have been closed. */
  isDone: boolean;
}

/** Collects all ways to continue at one event. */
class Step {
  readonly #event: BracketEvent;
  /** True if the whole text is in braces. */
  readonly #isBraced: boolean;
  readonly #next: State[] = [];

  constructor(event: BracketEvent, isBraced: boolean) {
    this.#event = event;
    this.#isBraced = isBraced;
  }

  /** Returns the cheapest states, one for each innermost bracket. */
  best(width: number): State[] {
    const states = this.#next;
    if (states.length < 2) return states;
    states.sort((a, b) => a.cost - b.cost);
    const kept: State[] = [];
    for (const state of states) {
      if (!kept.some((other) => isAlike(other, state))) kept.push(state);
      if (kept.length === width) break;
    }
    return kept;
  }

  from(state: State, closes: number): void {
    switch (this.#event.type) {
      case 'open':
        this.#open(state, closes);
        break;
      case 'close':
        this.#close(state, closes);
        break;
      case 'inString':
        this.#inString(state);
        break;
      case 'field':
        this.#field(state, closes);
        break;
      case 'end':
        this.#next.push({ ...state, cost: state.cost + (state.top?.depth ?? 0) * REPAIR });
    }
  }

  #repair(state: State, what: Repair['what'], cost: number, top: Open | undefined): State {
    const { at, string } = this.#event;
    const isDone = state.isDone || (this.#isBraced && state.top !== undefined && top === undefined);
    return { top, cost: state.cost + cost, repairs: { what, at, string, before: state.repairs }, isDone };
  }

  /** Also adds the states in which the innermost bracket is closed here. */
  #alsoClosed(state: State, closes: number): void {
    if (state.top !== undefined && closes > 0) {
      this.from(this.#repair(state, 'close', REPAIR, state.top.below), closes - 1);
    }
  }

  #open(state: State, closes: number): void {
    const { kind, at, line, indent, atStart } = this.#event;
    const { top } = state;
    const below = top;
    const opened: Open = { kind, at, line, indent, depth: (top?.depth ?? 0) + 1, below, odd: 0 };
    // The bracket is misplaced if a key is expected, or after the end of the text.
    const isMisplaced = top === undefined ? state.isDone : atStart && top.kind === 'object';
    this.#next.push({ ...state, top: opened, cost: state.cost + (isMisplaced ? REPAIR : 0) });
    if (isMisplaced) this.#alsoClosed(state, closes);
  }

  #close(state: State, closes: number): void {
    const { kind, line, indent, isFirst } = this.#event;
    const { top } = state;
    const stray = () => this.#next.push(this.#repair(state, 'stray', REPAIR, top));
    if (top === undefined) stray();
    else if (top.kind !== kind) {
      this.#alsoClosed(state, closes);
      stray();
      this.#next.push(this.#repair(state, 'swap', SWAP, top.below));
    } else {
      const isOdd = line !== top.line && (!isFirst || indent !== top.indent);
      const isWhole = this.#isBraced && top.below === undefined;
      const isDone = state.isDone || isWhole;
      this.#next.push({ ...state, top: top.below, cost: state.cost + (isOdd ? ODD : 0), isDone });
      if (isOdd && indent < top.indent) this.#alsoClosed(state, closes);
      if ((isOdd && indent > top.indent) || isWhole) stray();
    }
  }

  #inString(state: State): void {
    this.#next.push(state);
    const { top } = state;
    if (top?.kind === this.#event.kind) this.#next.push(this.#repair(state, 'string', LIKELY, top.below));
  }

  #field(state: State, closes: number): void {
    const { line, indent, isFirst } = this.#event;
    const { top } = state;
    if (top === undefined) {
      // The text after the end is read as if the end did not exist.
      this.#next.push(state.isDone ? { ...state, cost: state.cost + REPAIR, isDone: false } : state);
    } else if (top.kind === 'list') {
      this.#stayOdd(state, top, top.odd === 0 ? REPAIR : ODD);
      this.#alsoClosed(state, closes);
    } else if (isFirst && line > top.line && indent <= top.indent) {
      this.#stayOdd(state, top, ODD);
      this.#alsoClosed(state, closes);
    } else this.#next.push(state);
  }

  #stayOdd(state: State, top: Open, cost: number): void {
    if (top.odd > MOST_ODD) this.#next.push(state);
    else this.#next.push({ ...state, top: { ...top, odd: top.odd + 1 }, cost: state.cost + cost });
  }
}

function isAlike({ top: a, isDone }: State, { top: b, isDone: bIsDone }: State): boolean {
  if (a === undefined || b === undefined) return a === b && isDone === bIsDone;
  return a.at === b.at && a.depth === b.depth && a.odd === b.odd;
}

function collect(last: Repair | undefined): BracketRepairs {
  const closes = new Map<number, number>();
  const strays = new Set<number>();
  const swaps = new Set<number>();
  const stringEnds = new Map<number, number>();
  for (let repair = last; repair !== undefined; repair = repair.before) {
    const { what, at, string } = repair;
    if (what === 'close') closes.set(at, (closes.get(at) ?? 0) + 1);
    else if (what === 'stray') strays.add(at);
    else if (what === 'swap') swaps.add(at);
    // The repairs are collected from last to first, so the first bracket in a string is used.
    else stringEnds.set(string, at);
  }
  return { closes, strays, swaps, stringEnds };
}
