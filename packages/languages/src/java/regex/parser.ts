import { char } from './char-set.ts';
import { dot, parseClass } from './class-parser.ts';
import { parseCharEscape, parseClassEscape } from './escape-parser.ts';
import { caseRule, type Flags, flagsOfLetter } from './flags.ts';
import { equalChars } from './letter-case.ts';
import { code, END, PatternReader } from './pattern-reader.ts';
import { lineEnd, lineStart, notWordBoundary, wordBoundary } from './positions.ts';
import { VERTICAL_SPACE } from './properties.ts';
import type { Node, Syntax } from './syntax.ts';

/** Parses a Java pattern. With `literal`, every character is literal. */
export function parsePattern(pattern: string, flags: Flags, literal: boolean): Syntax {
  return new Parser(pattern, flags, literal).parse();
}

const LINE_BREAK: Node = {
  type: 'alternation',
  options: [
    {
      type: 'sequence',
      items: [
        { type: 'set', set: char(0x0d) },
        { type: 'set', set: char(0x0a) },
      ],
    },
    { type: 'set', set: VERTICAL_SPACE },
  ],
};

/** Makes a repeated `\R` read `\r\n` as one line break. A single `\R` may read only `\r` if the rest needs the `\n`. */
function withWholeLineBreak(node: Node): Node {
  if (node === LINE_BREAK) return { type: 'atomic', body: node };
  return node.type === 'group' && node.body === LINE_BREAK ? { ...node, body: withWholeLineBreak(node.body) } : node;
}

/** The largest number of repetitions in Java. */
const MAX_REPETITIONS = 2147483647;

class Parser {
  readonly #reader: PatternReader;
  #flags: Flags;
  #groupCount = 0;
  readonly #names = new Map<string, number>();

  constructor(pattern: string, flags: Flags, literal: boolean) {
    this.#reader = new PatternReader(pattern, literal);
    this.#flags = flags;
    this.#setFlags(literal ? { ...flags, comments: false } : flags);
  }

  parse(): Syntax {
    const root = this.#alternation();
    if (this.#reader.peek() !== END) throw this.#reader.error('unmatched ); write \\) for the character');
    return { root, groupCount: this.#groupCount, names: this.#names };
  }

  #setFlags(flags: Flags): void {
    this.#flags = flags;
    this.#reader.comments = flags.comments;
    this.#reader.unixLines = flags.unixLines;
  }

  #alternation(): Node {
    const options = [this.#sequence()];
    while (this.#reader.take('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'alternation', options };
  }

  #sequence(): Node {
    const items: Node[] = [];
    for (;;) {
      this.#reader.skipComments();
      const next = this.#reader.peek();
      if (next === END || next === code('|') || next === code(')')) break;
      const position = this.#reader.position;
      const atom = this.#atom();
      if (atom !== undefined) items.push(this.#quantified(atom, position));
    }
    if (items.length === 1) return items[0]!;
    return items.length === 0 ? { type: 'empty' } : { type: 'sequence', items };
  }

  /** Reads one atom. Returns undefined for inline flags, which cannot be repeated. */
  #atom(): Node | undefined {
    const reader = this.#reader;
    const position = reader.position;
    const next = reader.peek();
    // Java does not accept a repetition here, and reports an invalid brace only where it expects one.
    if (next === code('{')) return { type: 'empty' };
    reader.next();
    switch (next) {
      case code('*'):
      case code('+'):
      case code('?'): {
        const sign = String.fromCodePoint(next);
        throw reader.error(`${sign} has nothing to repeat; write \\${sign} for the character`, position);
      }
      case code('('):
        return this.#group(position);
      case code('['):
        return { type: 'set', set: parseClass(reader, this.#flags, position) };
      case code('.'):
        return { type: 'set', set: dot(this.#flags) };
      case code('^'):
        return { type: 'assertion', source: lineStart(this.#flags) };
      case code('$'):
        return { type: 'assertion', source: lineEnd(this.#flags) };
      case code('\\'):
        return this.#escape(position);
      default:
        return this.#literal(reader.plain(next));
    }
  }

  #literal(codePoint: number): Node {
    return { type: 'set', set: equalChars(codePoint, caseRule(this.#flags)) };
  }

  #quantified(atom: Node, position: number): Node {
    const reader = this.#reader;
    reader.skipComments();
    let min: number;
    let max: number;
    if (reader.take('*')) [min, max] = [0, Number.POSITIVE_INFINITY];
    else if (reader.take('+')) [min, max] = [1, Number.POSITIVE_INFINITY];
    else if (reader.take('?')) [min, max] = [0, 1];
    else if (reader.peek() === code('{')) [min, max] = this.#repetitions();
    else return atom;
    reader.skipComments();
    const mode = reader.take('?') ? 'lazy' : reader.take('+') ? 'possessive' : 'greedy';
    return { type: 'repeat', body: withWholeLineBreak(atom), min, max, mode, position };
  }

  #repetitions(): [number, number] {
    const reader = this.#reader;
    const start = reader.position;
    reader.next();
    const min = this.#count(start);
    let max = min;
    if (min !== undefined) {
      reader.skipComments();
      if (reader.take(',')) {
        reader.skipComments();
        max = reader.peek() === code('}') ? Number.POSITIVE_INFINITY : this.#count(start);
        reader.skipComments();
      }
    }
    if (min === undefined || max === undefined || !reader.take('}')) {
      throw reader.error('{ must begin a repetition such as {2,3}; write \\{ for the character', start);
    }
    if (max < min) throw reader.error('the repetition {n,m} needs n ≤ m', start);
    return [min, max];
  }

  #count(start: number): number | undefined {
    let value: number | undefined;
    for (let digit = this.#reader.peek(); digit >= 0x30 && digit <= 0x39; digit = this.#reader.peek()) {
      value = (value ?? 0) * 10 + digit - 0x30;
      if (value > MAX_REPETITIONS) throw this.#reader.error(`a repetition beyond ${MAX_REPETITIONS}`, start);
      this.#reader.next();
    }
    return value;
  }

  #group(position: number): Node | undefined {
    const reader = this.#reader;
    const outerFlags = this.#flags;
    reader.skipComments();
    let build: (body: Node) => Node;
    if (!reader.take('?')) build = this.#capture();
    else if (reader.take(':')) build = (body) => body;
    else if (reader.take('>')) build = (body) => ({ type: 'atomic', body });
    else if (reader.take('=')) build = (body) => ({ type: 'look', backward: false, negative: false, body, position });
    else if (reader.take('!')) build = (body) => ({ type: 'look', backward: false, negative: true, body, position });
    else if (reader.take('<=')) build = (body) => ({ type: 'look', backward: true, negative: false, body, position });
    else if (reader.take('<!')) build = (body) => ({ type: 'look', backward: true, negative: true, body, position });
    else if (reader.take('<')) build = this.#namedCapture(position);
    else if (this.#inlineFlags(position)) return undefined;
    else build = (body) => body;
    const body = reader.nested(() => this.#alternation());
    if (!reader.take(')')) throw reader.error('the group ( has no closing )', position);
    this.#setFlags(outerFlags);
    return build(body);
  }

  #capture(): (body: Node) => Node {
    const index = ++this.#groupCount;
    return (body) => ({ type: 'group', index, body });
  }

  #namedCapture(position: number): (body: Node) => Node {
    const name = this.#groupName(position);
    if (this.#names.has(name)) throw this.#reader.error(`a group named ${name} exists already`, position);
    const build = this.#capture();
    this.#names.set(name, this.#groupCount);
    return build;
  }

  /** Reads the name of a group and the `>` after it. */
  #groupName(position: number): string {
    let name = '';
    for (let next = this.#reader.next(); next !== code('>'); next = this.#reader.next()) {
      if (next === END) throw this.#reader.error('the name of the group has no closing >', position);
      if (!(this.#flags.comments && next === 0x20)) name += String.fromCodePoint(this.#reader.plain(next));
    }
    if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) {
      throw this.#reader.error(
        `the name of a group is a letter, then letters and digits of ASCII, not "${name}"`,
        position,
      );
    }
    return name;
  }

  /** Returns true for `(?i)`, whose flags apply up to the end of the enclosing group, and false for `(?i:`, a group. */
  #inlineFlags(position: number): boolean {
    const reader = this.#reader;
    let flags = this.#flags;
    let on = true;
    for (;;) {
      const next = reader.next();
      if (next === code(')') || next === code(':')) {
        this.#setFlags(flags);
        return next === code(')');
      }
      const letter = next === END ? '' : String.fromCodePoint(reader.plain(next));
      const change = flagsOfLetter(letter, on);
      if (change !== undefined) flags = { ...flags, ...change };
      else if (letter === '-' && on) on = false;
      else throw reader.error(`(?${letter} is not a group in Java; flags are i, m, s, x, d, u and U`, position);
    }
  }

  #escape(position: number): Node {
    const reader = this.#reader;
    if (reader.peek() === END) {
      throw reader.error('the pattern ends in a single \\; write \\\\ for a backslash', position);
    }
    const letter = reader.next();
    const set = parseClassEscape(reader, letter, this.#flags);
    if (set !== undefined) return { type: 'set', set };
    if (letter >= 0x31 && letter <= 0x39) return this.#numberedReference(letter - 0x30, position);
    switch (String.fromCodePoint(letter)) {
      case 'A':
        return { type: 'assertion', source: '^' };
      case 'z':
        return { type: 'assertion', source: '$' };
      case 'Z':
        return { type: 'assertion', source: lineEnd({ ...this.#flags, multiline: false }) };
      case 'b':
        if (reader.take('{g}'))
          throw reader.error('\\b{g} (a boundary of grapheme clusters) is not supported', position);
        return { type: 'assertion', source: wordBoundary(this.#flags) };
      case 'B':
        return { type: 'assertion', source: notWordBoundary(this.#flags) };
      case 'G':
        throw reader.error('\\G (the end of the previous match) is not supported', position);
      case 'R':
        return LINE_BREAK;
      case 'X':
        return { type: 'grapheme' };
      case 'k':
        return this.#namedReference(position);
      default:
        return this.#literal(parseCharEscape(reader, letter, position));
    }
  }

  /** Reads a back-reference. Further digits belong to the number if the pattern so far has such a group. */
  #numberedReference(digit: number, position: number): Node {
    let index = digit;
    for (let next = this.#reader.peek(); next >= 0x30 && next <= 0x39; next = this.#reader.peek()) {
      const longer = index * 10 + next - 0x30;
      if (longer > this.#groupCount) break;
      index = longer;
      this.#reader.next();
    }
    return { type: 'reference', index, ignoreCase: this.#flags.ignoreCase, position };
  }

  #namedReference(position: number): Node {
    if (!this.#reader.take('<')) throw this.#reader.error('\\k needs the name of a group: \\k<name>', position);
    const name = this.#groupName(position);
    const index = this.#names.get(name);
    if (index === undefined) throw this.#reader.error(`no group before this is named ${name}`, position);
    return { type: 'reference', index, ignoreCase: this.#flags.ignoreCase, position };
  }
}
