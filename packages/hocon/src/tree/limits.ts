/** Limits for the work that one text may cause. */
export interface Limits {
  /** Nesting of objects, lists and path elements, in the text and in the result. */
  depth: number;
  /** Values that substitutions insert; sixteen characters of a string count as one. The text itself does not count. */
  size: number;
  /** Steps of resolving, in addition to one for each character of the text. */
  steps: number;
  /** Files read through includes. */
  includes: number;
  /** Total length of all included texts, in characters. */
  includedText: number;
  /** Problems reported. */
  problems: number;
}

export const defaultLimits: Limits = {
  depth: 1_000,
  size: 1_000_000,
  steps: 4_000_000,
  includes: 1_000,
  includedText: 32_000_000,
  problems: 100,
};
