/** Inclusive range of code points. */
export type Range = readonly [number, number];

/** A set of code points, in the operations that both languages have. */
export type CharSet =
  | { readonly kind: 'ranges'; readonly ranges: readonly Range[] }
  /** JavaScript source that is right both by itself and inside brackets, such as `\p{L}`. */
  | { readonly kind: 'native'; readonly source: string }
  | { readonly kind: 'union'; readonly sets: readonly CharSet[] }
  | { readonly kind: 'intersection'; readonly left: CharSet; readonly right: CharSet }
  | { readonly kind: 'complement'; readonly set: CharSet };

export const ranges = (...list: Range[]): CharSet => ({ kind: 'ranges', ranges: list });
export const char = (codePoint: number): CharSet => ranges([codePoint, codePoint]);
export const native = (source: string): CharSet => ({ kind: 'native', source });
export const union = (...sets: CharSet[]): CharSet => (sets.length === 1 ? sets[0]! : { kind: 'union', sets });
export const intersection = (left: CharSet, right: CharSet): CharSet => ({ kind: 'intersection', left, right });
export const complement = (set: CharSet): CharSet =>
  set.kind === 'complement' ? set.set : { kind: 'complement', set };

/** The code point of a set that holds exactly one. */
export function onlyMember(set: CharSet): number | undefined {
  if (set.kind !== 'ranges' || set.ranges.length !== 1) return undefined;
  const [low, high] = set.ranges[0]!;
  return low === high ? low : undefined;
}

const PLAIN = /^[A-Za-z0-9_ "'`~!@#%&\-=:;<>,]$/;
const PLAIN_IN_CLASS = /^[A-Za-z0-9_ "']$/;

/** JavaScript source (flag `v`) of a code point outside brackets. */
export function emitChar(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return PLAIN.test(text) ? text : escaped(codePoint);
}

/** JavaScript source (flag `v`) that matches one code point of the set. */
export function emitSet(set: CharSet): string {
  const single = onlyMember(set);
  return single === undefined ? operand(set) : emitChar(single);
}

function operand(set: CharSet): string {
  switch (set.kind) {
    case 'native':
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
