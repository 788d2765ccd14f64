/** A match. Its offsets count UTF-16 units. */
export interface Match {
  readonly index: number;
  /** The offset after the match. */
  readonly end: number;
  readonly text: string;
  /** The whole match at 0, then the groups; undefined for a group without a match. */
  readonly groups: readonly (string | undefined)[];
}

/** A compiled regular expression. It has no state. */
export interface Regex {
  /** Returns whether the expression matches anywhere in a text. */
  test(text: string): boolean;
  /** Returns the first match from an offset. */
  find(text: string, from?: number): Match | undefined;
}

/** Compiles a regular expression of an expression. Throws an error that describes the problem. */
export type CompileRegex = (source: string, flags: { ignoreCase: boolean; multiline: boolean }) => Regex;

/** The regular expressions of an expression, each compiled once. */
export class Regexes {
  readonly #compile: CompileRegex;
  readonly #compiled = new WeakMap<RegExp, Regex>();

  constructor(compile: CompileRegex) {
    this.#compile = compile;
  }

  /** @param native the result of the library's parser; only its text is used */
  of(native: RegExp): Regex {
    let regex = this.#compiled.get(native);
    if (regex === undefined) {
      const { source, ignoreCase, multiline } = native;
      regex = this.#compile(source, { ignoreCase, multiline });
      this.#compiled.set(native, regex);
    }
    return regex;
  }

  /** Returns a regular expression in the form of the library: `exec` starts at `lastIndex`. */
  forLibrary(): RegExpConstructor {
    const regexes = this;
    class LibraryRegExp {
      lastIndex = 0;
      readonly #regex: Regex;

      constructor(native: RegExp) {
        this.#regex = regexes.of(native);
      }

      exec(text: string): ((string | undefined)[] & { index: number }) | null {
        const match = this.#regex.find(text, this.lastIndex);
        if (match === undefined) return null;
        this.lastIndex = match.end;
        return Object.assign([match.text, ...match.groups.slice(1)], { index: match.index });
      }
    }
    return LibraryRegExp as unknown as RegExpConstructor;
  }
}

/** Compiles a regular expression of JavaScript. */
export function nativeRegex(source: string, { ignoreCase, multiline }: Parameters<CompileRegex>[1]): Regex {
  const native = new RegExp(source, `g${ignoreCase ? 'i' : ''}${multiline ? 'm' : ''}`);
  const find = (text: string, from = 0): Match | undefined => {
    native.lastIndex = from;
    const match = native.exec(text);
    if (match === null) return undefined;
    return { index: match.index, end: match.index + match[0].length, text: match[0], groups: [...match] };
  };
  return { find, test: (text) => find(text) !== undefined };
}
