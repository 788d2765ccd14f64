import { QuerySyntaxError } from './query-syntax-error.ts';

/** A regular expression of Lucene. */
export type RegexpNode =
  | { readonly type: 'characters'; readonly accepts: (character: string) => boolean }
  | { readonly type: 'text'; readonly characters: readonly string[] }
  | { readonly type: 'nothing' }
  | { readonly type: 'number'; readonly from: bigint; readonly to: bigint; readonly digits: number | undefined }
  | { readonly type: 'sequence' | 'union' | 'intersection'; readonly parts: readonly RegexpNode[] }
  | { readonly type: 'complement'; readonly part: RegexpNode }
  | { readonly type: 'repeat'; readonly part: RegexpNode; readonly min: number; readonly max: number };

const MAX_REPEATS = 1000;
const MAX_DEPTH = 100;
const CLASSES: Readonly<Record<string, RegExp>> = { d: /^[0-9]$/, w: /^[0-9A-Za-z_]$/, s: /^[ \n\r\t]$/ };

/**
 * Parses a regular expression of Lucene, with all its optional operators: `|`, `&` (both), `~` (all but), `?`, `*`,
 * `+`, `{n,m}`, `[…]`, `.`, `@` (any text), `#` (no text at all), `"…"` (literally), `<n-m>` (numbers), and `\d`, `\w`,
 * `\s` with their opposites.
 * @throws QuerySyntaxError if it is invalid
 */
export function parseRegexp(pattern: string): RegexpNode {
  return new RegexpParser(pattern).parse();
}

class RegexpParser {
  readonly #pattern: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = Array.from(pattern);
  }

  parse(): RegexpNode {
    if (this.#pattern.length === 0) return { type: 'text', characters: [] };
    const node = this.#union();
    if (this.#at < this.#pattern.length) throw this.#error(`unexpected "${this.#pattern[this.#at]}"`);
    return node;
  }

  #union(): RegexpNode {
    if (++this.#depth > MAX_DEPTH) throw this.#error('it is nested too deeply');
    const parts = [this.#intersection()];
    while (this.#takes('|')) parts.push(this.#intersection());
    this.#depth--;
    return parts.length === 1 ? (parts[0] as RegexpNode) : { type: 'union', parts };
  }

  #intersection(): RegexpNode {
    const parts = [this.#sequence()];
    while (this.#takes('&')) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as RegexpNode) : { type: 'intersection', parts };
  }

  #sequence(): RegexpNode {
    const parts = [this.#repeated()];
    while (this.#more() && !this.#isNext('|') && !this.#isNext('&') && !this.#isNext(')')) parts.push(this.#repeated());
    return parts.length === 1 ? (parts[0] as RegexpNode) : { type: 'sequence', parts };
  }

  #repeated(): RegexpNode {
    let part = this.#complement();
    for (;;) {
      if (this.#takes('?')) part = { type: 'repeat', part, min: 0, max: 1 };
      else if (this.#takes('*')) part = { type: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY };
      else if (this.#takes('+')) part = { type: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY };
      else if (this.#takes('{')) part = this.#counted(part);
      else return part;
    }
  }

  #counted(part: RegexpNode): RegexpNode {
    const min = this.#count();
    let max = min;
    if (this.#takes(',')) max = this.#isNext('}') ? Number.POSITIVE_INFINITY : this.#count();
    this.#expect('}');
    if (min > max) throw this.#error(`{${min},${max}} has its ends in the wrong order`);
    return { type: 'repeat', part, min, max };
  }

  #count(): number {
    const digits = this.#digits();
    if (digits === '') throw this.#error('a number is missing');
    if (Number(digits) > MAX_REPEATS) throw this.#error(`more than ${MAX_REPEATS} repetitions`);
    return Number(digits);
  }

  #complement(): RegexpNode {
    if (!this.#takes('~')) return this.#simple();
    if (++this.#depth > MAX_DEPTH) throw this.#error('it is nested too deeply');
    const part = this.#complement();
    this.#depth--;
    return { type: 'complement', part };
  }

  #simple(): RegexpNode {
    if (this.#takes('.')) return { type: 'characters', accepts: () => true };
    if (this.#takes('#')) return { type: 'nothing' };
    if (this.#takes('@')) {
      const part: RegexpNode = { type: 'characters', accepts: () => true };
      return { type: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY };
    }
    if (this.#takes('"')) return this.#quoted();
    if (this.#takes('[')) return this.#characterClass();
    if (this.#takes('<')) return this.#interval();
    if (this.#takes('(')) {
      if (this.#takes(')')) return { type: 'text', characters: [] };
      const node = this.#union();
      this.#expect(')');
      return node;
    }
    if (!this.#more() || this.#isNext(')') || this.#isNext('|') || this.#isNext('&'))
      throw this.#error('something is missing');
    const accepts = this.#predefined();
    return accepts === undefined ? { type: 'text', characters: [this.#character()] } : { type: 'characters', accepts };
  }

  #quoted(): RegexpNode {
    const end = this.#pattern.indexOf('"', this.#at);
    if (end < 0) throw this.#error('a quote is not closed');
    const characters = this.#pattern.slice(this.#at, end);
    this.#at = end + 1;
    return { type: 'text', characters };
  }

  #characterClass(): RegexpNode {
    const isNegated = this.#takes('^');
    const accepted: ((character: string) => boolean)[] = [];
    do {
      if (!this.#more()) throw this.#error('] is missing');
      const predefined = this.#predefined();
      accepted.push(predefined ?? this.#characterRange());
    } while (!this.#takes(']'));
    const accepts = (character: string) => accepted.some((one) => one(character)) !== isNegated;
    return { type: 'characters', accepts };
  }

  #characterRange(): (character: string) => boolean {
    const first = this.#character();
    const from = first.codePointAt(0) as number;
    const isRange = this.#isNext('-') && this.#pattern[this.#at + 1] !== ']';
    if (!isRange) return (character) => character === first;
    this.#at++;
    const to = this.#character().codePointAt(0) as number;
    if (to < from) throw this.#error(`the range from "${first}" has its ends in the wrong order`);
    return (character) => {
      const codePoint = character.codePointAt(0) as number;
      return codePoint >= from && codePoint <= to;
    };
  }

  #interval(): RegexpNode {
    const low = this.#digits();
    this.#expect('-');
    const high = this.#digits();
    this.#expect('>');
    if (low === '' || high === '') throw this.#error('<n-m> needs two numbers');
    const [from, to] = [BigInt(low), BigInt(high)].sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint];
    return { type: 'number', from, to, digits: low.length === high.length ? low.length : undefined };
  }

  /** Parses a predefined class, such as `\d`. Returns undefined if there is none. */
  #predefined(): ((character: string) => boolean) | undefined {
    const letter = this.#pattern[this.#at + 1];
    const pattern = this.#isNext('\\') && letter !== undefined ? CLASSES[letter.toLowerCase()] : undefined;
    if (pattern === undefined) return undefined;
    this.#at += 2;
    const isNegated = letter !== letter?.toLowerCase();
    return (character) => pattern.test(character) !== isNegated;
  }

  #character(): string {
    this.#takes('\\');
    const character = this.#pattern[this.#at++];
    if (character === undefined) throw this.#error('it ends too early');
    return character;
  }

  #digits(): string {
    let digits = '';
    while (/^[0-9]$/.test(this.#pattern[this.#at] ?? '')) digits += this.#pattern[this.#at++];
    return digits;
  }

  #more(): boolean {
    return this.#at < this.#pattern.length;
  }

  #isNext(character: string): boolean {
    return this.#pattern[this.#at] === character;
  }

  #takes(character: string): boolean {
    if (!this.#isNext(character)) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#takes(character)) throw this.#error(`${character} is missing`);
  }

  #error(problem: string): QuerySyntaxError {
    const pattern = this.#pattern.join('');
    return new QuerySyntaxError(
      `the regular expression /${pattern}/ is invalid at position ${this.#at + 1}: ${problem}`,
    );
  }
}
