/** The groups of a pattern, as a replacement text refers to them. */
export interface ReplacementTarget {
  readonly groupCount: number;
  /** Number of each named group. */
  readonly names: ReadonlyMap<string, number>;
}

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'digits'; readonly digits: string }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'error'; readonly message: string };

/**
 * A replacement text in Java's notation: `$1` (with as many digits as an existing group has), `${name}`, and `\` before
 * a literal character. As in Java, its mistakes are reported only when a match is replaced.
 */
export class JavaReplacement {
  /** The original text. */
  readonly source: string;
  readonly #parts: readonly Part[];

  constructor(source: string) {
    this.source = source;
    this.#parts = parse(source);
  }

  /**
   * Returns the texts to insert and the numbers of the groups whose matches are between them.
   * @throws Error if the text is invalid or names a group that the pattern does not have
   */
  resolve(target: ReplacementTarget): (string | number)[] {
    const resolved: (string | number)[] = [];
    const addText = (text: string) => {
      const last = resolved.length - 1;
      if (typeof resolved[last] === 'string') resolved[last] += text;
      else if (text !== '') resolved.push(text);
    };
    for (const part of this.#parts) {
      if (part.type === 'text') addText(part.text);
      else if (part.type === 'error') throw this.#error(part.message);
      else if (part.type === 'name') {
        const group = target.names.get(part.name);
        if (group === undefined) throw this.#error(`the pattern has no group named ${part.name}`);
        resolved.push(group);
      } else {
        const [group, rest] = longestGroup(part.digits, target.groupCount);
        if (group > target.groupCount) {
          throw this.#error(`the pattern has no group ${group}; write \\$ for the character`);
        }
        resolved.push(group);
        addText(rest);
      }
    }
    return resolved;
  }

  #error(problem: string): Error {
    return new Error(`The replacement ${JSON.stringify(this.source)} cannot be used: ${problem}`);
  }
}

/** Reads a replacement text. Never throws: mistakes are reported when the replacement is used on a match. */
export function parseJavaReplacement(text: string): JavaReplacement {
  return new JavaReplacement(text);
}

function parse(source: string): Part[] {
  const parts: Part[] = [];
  // One piece each: a name in braces, digits, an escaped character, a stray sign, or plain text.
  const pieces =
    /\$\{(?<name>[^}]*)(?<close>\}?)|\$(?<digits>[0-9]+)|\\(?<escaped>.)|(?<stray>[$\\])|(?<text>[^$\\]+)/gsu;
  for (const { groups } of source.matchAll(pieces)) {
    const { name, close, digits, escaped, stray, text } = groups!;
    if (text !== undefined || escaped !== undefined) parts.push({ type: 'text', text: (text ?? escaped)! });
    else if (digits !== undefined) parts.push({ type: 'digits', digits });
    else if (stray === '\\')
      parts.push({ type: 'error', message: 'it ends in a single \\; write \\\\ for a backslash' });
    else if (stray === '$')
      parts.push({ type: 'error', message: 'a $ must be followed by a group; write \\$ for the character' });
    else if (close === '') parts.push({ type: 'error', message: '${ has no closing }' });
    else if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name!)) {
      parts.push({ type: 'error', message: `\${${name}} is not a name of a group; write \\$ for the character` });
    } else parts.push({ type: 'name', name: name! });
  }
  return parts;
}

/** Reads as many digits as form the number of an existing group, as Java does. The other digits are text. */
function longestGroup(digits: string, groupCount: number): [group: number, rest: string] {
  let group = Number(digits[0]);
  let taken = 1;
  for (; taken < digits.length; taken++) {
    const longer = group * 10 + Number(digits[taken]);
    if (longer > groupCount) break;
    group = longer;
  }
  return [group, digits.slice(taken)];
}
