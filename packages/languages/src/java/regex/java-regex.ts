import { onlyMember } from './char-set.ts';
import { emitPattern } from './emitter.ts';
import { FoundMatch, type GroupMap, type JavaMatch } from './java-match.ts';
import { JavaRegexError } from './java-regex-error.ts';
import { lengthOf } from './lengths.ts';
import { parsePattern } from './parser.ts';
import type { JavaReplacement } from './replacement.ts';
import type { Node } from './syntax.ts';

/** The flags of `java.util.regex.Pattern.compile` that configs can set. */
export interface JavaRegexFlags {
  /** ASCII letters match in both cases, other letters only unchanged. */
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at lines. */
  readonly multiline?: boolean;
  /** `.` matches line terminators. */
  readonly dotall?: boolean;
  /** Every character of the pattern is literal. */
  readonly literal?: boolean;
  /** Blanks in the pattern, and `#` to the end of a line, are ignored. */
  readonly comments?: boolean;
}

/** A compiled pattern. It has no state between calls. */
export interface JavaRegex {
  /** The Java pattern. */
  readonly source: string;
  /** Number of capturing groups, without the whole match. */
  readonly groupCount: number;
  /** Returns the first match that starts at or after an offset. */
  find(text: string, from?: number): JavaMatch | undefined;
  /** Returns all matches from left to right, including empty ones, as repeated `Matcher.find()` returns them. */
  findAll(text: string): JavaMatch[];
  /**
   * Adds to a list the text of a group in each of all matches, except for matches without the group; group 0 is the
   * match.
   */
  collect(text: string, group: number, found: string[]): void;
  /** Returns whether the pattern matches the whole text. */
  matches(text: string): boolean;
  /** Returns whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * Replaces all matches.
   * @throws Error if something matches and the replacement is invalid or names a group that does not exist
   */
  replaceAll(text: string, replacement: JavaReplacement): string;
  /**
   * Returns the pieces between the matches, without empty ones at the end and without an empty one before an empty
   * match.
   */
  split(text: string): string[];
}

/**
 * Compiles a pattern of `java.util.regex` to a native RegExp. Text is matched by code points.
 *
 * Differences from Java: Matches begin and end between characters. In Java, `x*` matches the empty text between the two
 * halves of a surrogate pair, and `\P{So}` matches the second half of an emoji. A group without a match in the last
 * iteration of a repetition is unset. Java keeps the match of an earlier iteration. A lookbehind may have any length. A
 * case-insensitive back-reference uses all of Unicode, not only ASCII.
 *
 * Time: V8 matches by backtracking, as Java does. A pattern such as `(a+)+b` takes exponential time on a text that
 * almost matches. This package does not limit that. V8's linear engine is not a solution: it is experimental, set for
 * the whole process, and does not support Unicode patterns. A caller with untrusted patterns must be able to end the
 * thread. The time limit of `node:vm` also interrupts a match.
 *
 * Space: if backtracking needs more than V8 allows (64 MB), the match throws a RangeError.
 * @throws JavaRegexError if the pattern is invalid in Java, or cannot be expressed in JavaScript
 */
export function compileJavaRegex(pattern: string, flags: JavaRegexFlags = {}): JavaRegex {
  return new CompiledRegex(pattern, flags);
}

class CompiledRegex implements JavaRegex {
  readonly source: string;
  readonly groupCount: number;
  readonly #groups: GroupMap;
  /** A pattern with flag `g`, which is used only with `lastIndex` set, or by methods that set it. */
  readonly #all: RegExp;
  readonly #first: RegExp;
  #whole: RegExp | undefined;
  /** True if the pattern begins with `^`, so that there is at most one match, at the start. */
  readonly #atStart: boolean;
  /** A separator for the native `split` with the same result, if there is one. */
  readonly #delimiter: string | RegExp | undefined;
  /** True if the pattern matches only the empty text, everywhere, so that it splits a text into characters. */
  readonly #matchesEmpty: boolean;
  #replacement: { readonly of: JavaReplacement; readonly prepared: Prepared } | undefined;

  constructor(pattern: string, flags: JavaRegexFlags) {
    const syntax = parsePattern(
      pattern,
      {
        ignoreCase: flags.ignoreCase ?? false,
        multiline: flags.multiline ?? false,
        dotall: flags.dotall ?? false,
        comments: flags.comments ?? false,
        unixLines: false,
        unicodeCase: false,
        unicodeClasses: false,
      },
      flags.literal ?? false,
    );
    const emitted = emitPattern(syntax, pattern);
    this.source = pattern;
    this.groupCount = syntax.groupCount;
    this.#groups = { numbers: emitted.groups, names: syntax.names };
    this.#first = nativeRegex(emitted.source, emitted.flag, pattern);
    this.#all = new RegExp(emitted.source, `g${emitted.flag}`);
    this.#atStart = isAtStart(syntax.root);
    this.#matchesEmpty = /^[|]*$/.test(emitted.source);
    if (lengthOf(syntax.root).min > 0) {
      this.#delimiter = literalText(syntax.root) ?? (emitted.emittedGroupCount === 0 ? this.#first : undefined);
    }
  }

  find(text: string, from = 0): JavaMatch | undefined {
    this.#all.lastIndex = from;
    const found = this.#all.exec(text);
    return found === null ? undefined : new FoundMatch(found, this.#groups);
  }

  findAll(text: string): JavaMatch[] {
    const matches: JavaMatch[] = [];
    this.#forEachMatch(text, (found) => matches.push(new FoundMatch(found, this.#groups)));
    return matches;
  }

  collect(text: string, group: number, found: string[]): void {
    const number = this.#groups.numbers[group] as number;
    if (this.#atStart) {
      const part = this.#first.exec(text)?.[number];
      if (part !== undefined) found.push(part);
      return;
    }
    const regex = this.#all;
    for (let from = 0; ; ) {
      regex.lastIndex = from;
      const match = regex.exec(text);
      if (match === null) return;
      from = regex.lastIndex;
      if (match[0] === '') from += (text.codePointAt(from) as number) > 0xffff ? 2 : 1;
      const part = match[number];
      if (part !== undefined) found.push(part);
    }
  }

  matches(text: string): boolean {
    this.#whole ??= new RegExp(`^(?:${this.#first.source})$`, this.#first.flags);
    return this.#whole.test(text);
  }

  test(text: string): boolean {
    return this.#first.test(text);
  }

  replaceAll(text: string, replacement: JavaReplacement): string {
    if (this.#replacement?.of !== replacement) {
      this.#replacement = { of: replacement, prepared: this.#prepare(replacement) };
    }
    const { prepared } = this.#replacement;
    if (typeof prepared === 'string') return text.replace(this.#all, prepared);
    if (typeof prepared === 'function') return text.replace(this.#all, prepared);
    if (this.test(text)) throw prepared;
    return text;
  }

  split(text: string): string[] {
    const pieces = this.#pieces(text);
    if (pieces.length > 1) while (pieces.length > 0 && pieces.at(-1) === '') pieces.pop();
    return pieces;
  }

  #pieces(text: string): string[] {
    if (this.#matchesEmpty && text !== '') return splitIntoCharacters(text);
    if (this.#delimiter === undefined) return this.#splitByMatches(text);
    return typeof this.#delimiter === 'string' ? splitAtText(text, this.#delimiter) : text.split(this.#delimiter);
  }

  #splitByMatches(text: string): string[] {
    const pieces: string[] = [];
    let start = 0;
    this.#forEachMatch(text, (found) => {
      const end = found.index + found[0].length;
      if (end === 0) return;
      pieces.push(text.slice(start, found.index));
      start = end;
    });
    pieces.push(text.slice(start));
    return pieces;
  }

  #forEachMatch(text: string, use: (found: RegExpExecArray) => void): void {
    const regex = this.#all;
    let from = 0;
    for (;;) {
      regex.lastIndex = from;
      const found = regex.exec(text);
      if (found === null) return;
      from = regex.lastIndex;
      if (found[0] === '') from += text.codePointAt(from)! > 0xffff ? 2 : 1;
      use(found);
    }
  }

  /** Returns the replacement in JavaScript's notation, or the error that its use must throw. */
  #prepare(replacement: JavaReplacement): Prepared {
    let parts: (string | number)[];
    try {
      parts = replacement.resolve({ groupCount: this.groupCount, names: this.#groups.names });
    } catch (error) {
      return error as Error;
    }
    const native = parts.map((part) => (typeof part === 'string' ? part : this.#groups.numbers[part]!));
    if (native.some((part) => typeof part === 'number' && part > 99)) {
      return (...found: unknown[]) =>
        native.map((part) => (typeof part === 'string' ? part : (found[part] ?? ''))).join('');
    }
    return native
      .map((part) => (typeof part === 'string' ? part.replaceAll('$', '$$$$') : nativeReference(part)))
      .join('');
  }
}

type Prepared = string | ((...found: unknown[]) => string) | Error;

function splitIntoCharacters(text: string): string[] {
  const characters: string[] = [];
  for (let i = 0; i < text.length; i++) {
    // The two units of a surrogate pair are one character.
    if ((text.charCodeAt(i) & 0xf800) === 0xd800) return [...text];
    characters.push(text[i] as string);
  }
  return characters;
}

/**
 * Splits like the native `split`, which for short texts spends most of its time outside compiled code.
 */
function splitAtText(text: string, delimiter: string): string[] {
  let end = text.indexOf(delimiter);
  if (end < 0) return [text];
  const pieces: string[] = [];
  let start = 0;
  for (; end >= 0; end = text.indexOf(delimiter, start)) {
    pieces.push(text.slice(start, end));
    start = end + delimiter.length;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** Returns a group reference with two digits, so that a digit in the following text is not part of it. */
function nativeReference(group: number): string {
  return group === 0 ? '$&' : `$${String(group).padStart(2, '0')}`;
}

function nativeRegex(source: string, flags: string, pattern: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new JavaRegexError(`the JavaScript engine refuses the pattern: ${(error as Error).message}`, pattern, 0);
  }
}

function isAtStart(root: Node): boolean {
  const first = root.type === 'sequence' ? root.items[0] : root;
  return first?.type === 'assertion' && first.source === '^';
}

/** Returns the only text that a pattern matches, if there is only one. */
function literalText(root: Node): string | undefined {
  let text = '';
  for (const item of root.type === 'sequence' ? root.items : [root]) {
    const codePoint = item.type === 'set' ? onlyMember(item.set) : undefined;
    // Half a surrogate pair must not match inside a pair.
    if (codePoint === undefined || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return undefined;
    text += String.fromCodePoint(codePoint);
  }
  return text;
}
