/** A step to the records in a JSON text: to properties with these names, to elements with these numbers, or to all. */
export type RecordStep =
  | { readonly type: 'property'; readonly names: readonly string[] }
  | { readonly type: 'index'; readonly indexes: readonly number[] }
  | { readonly type: 'wildcard' };

const LF = 10;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** A value begins here. */
const VALUE = 0;
/** In an object on the path, where a name begins. */
const NAME = 1;
const IN_NAME = 2;
/** In a value that is not on the path. */
const SKIPPED = 3;
/** In a record. Only braces and strings are checked, as in `JsonValueScanner`. */
const RECORD = 4;

/** The limits of what is stored for messages. */
const MAX_NAME_BYTES = 4096;
const MAX_NAMES = 20;

/** An open object or array on the path. */
interface Level {
  readonly isObject: boolean;
  /** The number of steps that lead to it. */
  readonly depth: number;
  /** True for an array of records to which the last step leads. */
  readonly isList: boolean;
  /** The number of the current element of an array. */
  element: number;
  /** Whether the current property or element is on the path. */
  isOnPath: boolean;
}

/**
 * Keeps the records of a JSON text, which are at a path, and replaces all other bytes except LF by blanks: the records
 * stay at their places, so lines and columns stay exact. The path is followed in each value at the top level. A record
 * that is an array becomes the number 0, because an array of objects would look like several records.
 *
 * If the last step leads to an array, and not to its elements, its elements are the records.
 */
export class JsonRecordFilter {
  /** The number of values at the top level. */
  values = 0;
  /** The number of them in which the path leads to something, an empty list included. */
  matched = 0;
  /** The names that exist where the path ended first, and the number of steps up to there. */
  readonly names = new Set<string>();
  reached = 0;
  readonly #steps: readonly RecordStep[];
  readonly #levels: Level[] = [];
  #state: number = VALUE;
  /** The number of steps that lead to the next value. -1 if it is not on the path. */
  #depth = 0;
  #nested = 0;
  #inString = false;
  #escaped = false;
  #inWord = false;
  /** True while the record is an array, which is replaced. */
  #isReplaced = false;
  #name: number[] = [];
  #isMatched = false;

  constructor(steps: readonly RecordStep[]) {
    this.#steps = steps;
  }

  /** Returns whether an object or an array outside a record is open. */
  get isOpen(): boolean {
    return this.#levels.length > 0 || (this.#state === SKIPPED && (this.#nested > 0 || this.#inString));
  }

  /** Filters the next bytes in place. */
  filter(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#state === RECORD || this.#state === SKIPPED) {
        at = this.#passValue(bytes, at);
        if (at === bytes.length) return;
      }
      const byte = bytes[at] as number;
      const kept = this.#follow(byte);
      if (kept !== byte && byte !== LF) bytes[at] = kept;
    }
  }

  /** Reads a byte outside records and skipped values. Returns the byte that replaces it. */
  #follow(byte: number): number {
    if (this.#state === IN_NAME) {
      this.#passName(byte);
      return SPACE;
    }
    if (byte <= SPACE || byte === COLON) return SPACE;
    const level = this.#levels.at(-1);
    if (byte === COMMA) {
      if (level !== undefined) this.#nextIn(level);
      return SPACE;
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#levels.pop();
      this.#state = this.#levels.length === 0 ? VALUE : NAME;
      if (this.#levels.length === 0) this.#endTopValue();
      return SPACE;
    }
    if (this.#state === NAME) {
      if (byte === QUOTE) {
        this.#state = IN_NAME;
        this.#name = [];
      }
      return SPACE;
    }
    return this.#beginValue(byte, level);
  }

  #beginValue(byte: number, level: Level | undefined): number {
    if (level === undefined) {
      this.values++;
      this.#isMatched = false;
      this.#depth = 0;
    } else this.#depth = level.isOnPath ? level.depth + (level.isList ? 0 : 1) : -1;
    const depth = this.#depth;
    if (depth === this.#steps.length) {
      const isList = level?.isList === true;
      if (byte === OPEN_ARRAY && !isList && this.#steps.at(-1)?.type !== 'wildcard') {
        this.#isMatched = true;
        this.#open(false, depth, true);
        return SPACE;
      }
      return this.#beginRecord(byte);
    }
    if (depth >= 0 && (byte === OPEN_OBJECT || byte === OPEN_ARRAY)) {
      const { type } = this.#steps[depth] as RecordStep;
      const isObject = byte === OPEN_OBJECT;
      if (type === 'wildcard' || (type === 'property') === isObject) {
        // An empty list has no records, which is not a mistake.
        if (type === 'wildcard' && depth === this.#steps.length - 1) this.#isMatched = true;
        this.#open(isObject, depth, false);
        return SPACE;
      }
    }
    this.#begin(SKIPPED, byte);
    return SPACE;
  }

  #beginRecord(byte: number): number {
    this.#isMatched = true;
    this.#isReplaced = byte === OPEN_ARRAY;
    this.#begin(RECORD, byte);
    return this.#isReplaced ? ZERO : byte;
  }

  #begin(state: number, byte: number): void {
    this.#state = state;
    this.#nested = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : 0;
    this.#inString = byte === QUOTE;
    this.#escaped = false;
    this.#inWord = this.#nested === 0 && !this.#inString;
  }

  #open(isObject: boolean, depth: number, isList: boolean): void {
    if (depth > this.reached) {
      this.reached = depth;
      this.names.clear();
    }
    const level = { isObject, depth, isList, element: 0, isOnPath: isList };
    this.#levels.push(level);
    this.#state = isObject ? NAME : VALUE;
    if (!isObject && !isList) level.isOnPath = this.#isElementOnPath(level);
  }

  #nextIn(level: Level): void {
    if (level.isObject) this.#state = NAME;
    else {
      this.#state = VALUE;
      level.element++;
      if (!level.isList) level.isOnPath = this.#isElementOnPath(level);
    }
  }

  #isElementOnPath({ depth, element }: Level): boolean {
    const step = this.#steps[depth] as RecordStep;
    return step.type === 'wildcard' || (step.type === 'index' && step.indexes.includes(element));
  }

  #passName(byte: number): void {
    if (!this.#escaped && byte === QUOTE) {
      this.#state = VALUE;
      this.#endName();
      return;
    }
    this.#escaped = !this.#escaped && byte === BACKSLASH;
    if (this.#name.length < MAX_NAME_BYTES) this.#name.push(byte);
  }

  #endName(): void {
    const level = this.#levels.at(-1) as Level;
    const step = this.#steps[level.depth] as RecordStep;
    const name = nameOf(this.#name);
    if (level.depth === this.reached && this.names.size < MAX_NAMES) this.names.add(name);
    level.isOnPath = step.type === 'wildcard' || (step.type === 'property' && step.names.includes(name));
  }

  /** Reads the bytes of a record or of a value that is skipped. Returns the offset after them. */
  #passValue(bytes: Uint8Array, from: number): number {
    const isBlanked = this.#state === SKIPPED || this.#isReplaced;
    // Local variables during the loop, because a private field costs more for each byte.
    let nested = this.#nested;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let isEnded = false;
    let at = from;
    for (; at < bytes.length && !isEnded; at++) {
      const byte = bytes[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          isEnded = nested === 0;
        }
      } else if (this.#inWord && endsWord(byte)) {
        this.#endValue();
        return at;
      } else if (byte === QUOTE) inString = true;
      // `JsonValueScanner` finds the ends of records by their braces alone.
      else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && isBlanked)) nested++;
      else if (byte === CLOSE_OBJECT || (byte === CLOSE_ARRAY && isBlanked)) isEnded = --nested === 0;
      if (isBlanked && byte !== LF) bytes[at] = SPACE;
    }
    this.#nested = nested;
    this.#inString = inString;
    this.#escaped = escaped;
    if (isEnded) this.#endValue();
    return at;
  }

  #endValue(): void {
    this.#isReplaced = false;
    const level = this.#levels.at(-1);
    this.#state = level?.isObject === true ? NAME : VALUE;
    if (level === undefined) this.#endTopValue();
  }

  #endTopValue(): void {
    if (this.#isMatched) this.matched++;
    this.#isMatched = false;
  }
}

function endsWord(byte: number): boolean {
  return (
    byte <= SPACE ||
    byte === COMMA ||
    byte === CLOSE_ARRAY ||
    byte === CLOSE_OBJECT ||
    byte === QUOTE ||
    byte === OPEN_OBJECT ||
    byte === OPEN_ARRAY
  );
}

function nameOf(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString();
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    // The name has an unknown escape sequence, so no step has this name.
    return text;
  }
}
