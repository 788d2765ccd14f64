import { compileJavaRegex, type JavaRegex } from '@headrace/java-text/regex';

const compiled = new WeakMap<RegExp, JavaRegex>();

/**
 * The Java pattern of a regular expression in an expression. The library's parser makes a native one of it, of which only
 * the text is of use. Throws `JavaRegexError` for what Java does not take.
 */
export function javaRegexOf(native: RegExp): JavaRegex {
  let regex = compiled.get(native);
  if (regex === undefined) {
    const { source, ignoreCase, multiline } = native;
    regex = compileJavaRegex(source, { ignoreCase, multiline });
    compiled.set(native, regex);
  }
  return regex;
}

/** A Java pattern as the library uses regular expressions: `exec` from `lastIndex` on. */
export class JavaRegExp {
  lastIndex = 0;
  private readonly regex: JavaRegex;

  constructor(native: RegExp) {
    this.regex = javaRegexOf(native);
  }

  exec(text: string): ((string | undefined)[] & { index: number }) | null {
    const match = this.regex.find(text, this.lastIndex);
    if (match === undefined) return null;
    this.lastIndex = match.end;
    return Object.assign([match.text, ...match.groups.slice(1)], { index: match.index });
  }
}
