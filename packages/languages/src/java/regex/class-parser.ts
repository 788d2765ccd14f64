import { type CharSet, char, complement, intersection, ranges, union } from './char-set.ts';
import { parseCharEscape, parseClassEscape } from './escape-parser.ts';
import { caseRule, type Flags } from './flags.ts';
import { equalChars, equalRange } from './letter-case.ts';
import { code, END, type PatternReader } from './pattern-reader.ts';

/** Reads a class in brackets. The reader is after the `[`. */
export function parseClass(reader: PatternReader, flags: Flags, start: number): CharSet {
  const negated = reader.take('^');
  const set = reader.nested(() => parseBody(reader, flags, start));
  reader.next();
  return negated ? complement(set) : set;
}

/**
 * Reads up to the closing bracket, without the bracket. `&&` has the lowest precedence. A negation applies to the whole
 * class.
 */
function parseBody(reader: PatternReader, flags: Flags, start: number): CharSet {
  let members: CharSet[] = [];
  for (;;) {
    reader.skipComments();
    const next = reader.peek();
    if (next === END) throw reader.error('the class [ has no closing ]', start);
    // A `]` directly after the `[` is a member of the class.
    if (next === code(']') && members.length > 0) return union(...members);
    if (next === code('&') && reader.peek(1) === code('&')) {
      const at = reader.position;
      reader.take('&&');
      const right = parseRightSide(reader, flags, start);
      if (right === undefined) {
        if (members.length === 0 || !members.every(isLatin1)) {
          throw reader.error('&& in a class needs a set on its sides; write \\& for the character', at);
        }
      } else {
        members = [members.length === 0 ? right : intersection(union(...members), right)];
      }
    } else {
      members.push(parseMember(reader, flags));
    }
  }
}

/** Returns whether Java stores the set separately. Only then a final `&&` changes nothing. */
function isLatin1(set: CharSet): boolean {
  return set.kind === 'ranges' && set.ranges.every(([, high]) => high <= 0xff);
}

/** Unites the classes in brackets directly after `&&`. Anything else includes the whole rest, with further `&&`. */
function parseRightSide(reader: PatternReader, flags: Flags, start: number): CharSet | undefined {
  const sets: CharSet[] = [];
  for (;;) {
    reader.skipComments();
    const next = reader.peek();
    if (next === END) throw reader.error('the class [ has no closing ]', start);
    if (next === code(']') || next === code('&')) return sets.length === 0 ? undefined : union(...sets);
    if (next === code('[')) sets.push(parseNested(reader, flags));
    else sets.push(reader.nested(() => parseBody(reader, flags, start)));
  }
}

function parseNested(reader: PatternReader, flags: Flags): CharSet {
  const start = reader.position;
  reader.next();
  return parseClass(reader, flags, start);
}

function parseMember(reader: PatternReader, flags: Flags): CharSet {
  if (reader.peek() === code('[')) return parseNested(reader, flags);
  const start = reader.position;
  const low = parseMemberChar(reader, flags);
  if (typeof low !== 'number') return low;
  reader.skipComments();
  if (reader.peek() === code('-')) {
    const after = reader.peek(1);
    if (after !== code(']') && after !== code('[') && after !== END) {
      reader.next();
      reader.skipComments();
      const high = parseMemberChar(reader, flags);
      if (typeof high !== 'number') throw reader.error('a range in a class must end in a character', start);
      if (high < low) throw reader.error('the range in the class goes backwards', start);
      return equalRange(low, high, caseRule(flags));
    }
  }
  return equalChars(low, caseRule(flags));
}

/** Returns one member of a class: a character, or a set if an escape means a set. */
function parseMemberChar(reader: PatternReader, flags: Flags): number | CharSet {
  const start = reader.position;
  const next = reader.next();
  if (next === END) throw reader.error('the class [ has no closing ]', start);
  if (next !== code('\\')) return reader.plain(next);
  if (reader.peek() === END) throw reader.error('the pattern ends in a single \\; write \\\\ for a backslash', start);
  const letter = reader.next();
  return parseClassEscape(reader, letter, flags) ?? parseCharEscape(reader, letter, start);
}

/** Returns the characters that `.` matches. */
export function dot(flags: Flags): CharSet {
  if (flags.dotall) return complement(ranges());
  if (flags.unixLines) return complement(char(0x0a));
  return complement(ranges([0x0a, 0x0a], [0x0d, 0x0d], [0x85, 0x85], [0x2028, 0x2029]));
}
