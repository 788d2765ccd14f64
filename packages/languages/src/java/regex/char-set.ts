/** An inclusive range of code points. */
export type Range = readonly [number, number];

/** A set of code points, built from the operations that both regex languages have. */
export type CharSet =
  | { readonly kind: 'ranges'; readonly ranges: readonly Range[] }
  /** A JavaScript escape for a set, such as `\p{L}`. The same letter in the other case means the complement. */
  | { readonly kind: 'escape'; readonly source: string }
  | { readonly kind: 'union'; readonly sets: readonly CharSet[] }
  | { readonly kind: 'intersection'; readonly left: CharSet; readonly right: CharSet }
  | { readonly kind: 'complement'; readonly set: CharSet };

export const ranges = (...list: Range[]): CharSet => ({ kind: 'ranges', ranges: list });
export const char = (codePoint: number): CharSet => ranges([codePoint, codePoint]);
export const setEscape = (source: string): CharSet => ({ kind: 'escape', source });
export const union = (...sets: CharSet[]): CharSet => (sets.length === 1 ? sets[0]! : { kind: 'union', sets });
export const intersection = (left: CharSet, right: CharSet): CharSet => ({ kind: 'intersection', left, right });
/** Returns the union of Unicode properties with these JavaScript names. */
export const properties = (...names: string[]): CharSet => union(...names.map((name) => setEscape(`\\p{${name}}`)));

export function complement(set: CharSet): CharSet {
  if (set.kind === 'complement') return set.set;
  if (set.kind !== 'escape') return { kind: 'complement', set };
  const letter = set.source.charAt(1);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return setEscape(`\\${other}${set.source.slice(2)}`);
}

/** Returns whether the set can be written only in the notation of the flag `v`: operators, or brackets in brackets. */
export function needsSetNotation(set: CharSet): boolean {
  return !isFlat(set.kind === 'complement' ? set.set : set);
}

function isFlat(set: CharSet): boolean {
  return set.kind === 'ranges' || set.kind === 'escape' || (set.kind === 'union' && set.sets.every(isFlat));
}

/** Returns the code point of a set that holds exactly one. */
export function onlyMember(set: CharSet): number | undefined {
  if (set.kind !== 'ranges' || set.ranges.length !== 1) return undefined;
  const [low, high] = set.ranges[0]!;
  return low === high ? low : undefined;
}

const PLAIN = /^[A-Za-z0-9_ "'`~!@#%&\-=:;<>,]$/;
const PLAIN_IN_CLASS = /^[A-Za-z0-9_ "']$/;

/** Returns the JavaScript source of a code point outside brackets. */
export function emitChar(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return PLAIN.test(text) ? text : escaped(codePoint);
}

/** Returns the JavaScript source that matches one code point of the set. */
export function emitSet(set: CharSet): string {
  const single = onlyMember(set);
  return single === undefined ? operand(set) : emitChar(single);
}

function operand(set: CharSet): string {
  switch (set.kind) {
    case 'escape':
      return set.source;
    case 'intersection':
      return `[${operand(set.left)}&&${operand(set.right)}]`;
    case 'complement':
      return `[^${contents(set.set)}]`;
    default:
      return `[${contents(set)}]`;
  }
}

function contents(set: CharSet): string {
  if (set.kind === 'ranges') return set.ranges.map(emitRange).join('');
  if (set.kind === 'union') return set.sets.map(contents).join('');
  return operand(set);
}

function emitRange([low, high]: Range): string {
  if (low === high) return classChar(low);
  return high === low + 1 ? classChar(low) + classChar(high) : `${classChar(low)}-${classChar(high)}`;
}

function classChar(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return PLAIN_IN_CLASS.test(text) ? text : escaped(codePoint);
}

function escaped(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  if (/^[\^$\\.*+?()[\]{}|/]$/.test(text)) return `\\${text}`;
  return `\\u{${codePoint.toString(16)}}`;
}
