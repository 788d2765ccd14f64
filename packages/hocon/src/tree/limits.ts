/** The limits for the work on one text. */
export interface Limits {
  /** The maximum nesting of objects, lists and path elements, in the text and in the result. */
  depth: number;
  /**
   * The maximum number of values that substitutions insert. Sixteen characters of a string count as one value. The
   * values of the text itself do not count.
   */
  size: number;
  /** The maximum number of steps of resolving, in addition to one for each character of the text. */
  steps: number;
  /** The maximum number of included files. */
  includes: number;
  /** The maximum total length of all included texts, in characters. */
  includedText: number;
  /** The maximum number of reported problems. */
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
