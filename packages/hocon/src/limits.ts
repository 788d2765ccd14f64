/** Bounds on what one text may ask for. */
export interface Limits {
  /** Nesting of objects, lists and path elements, in the text and in the result. */
  depth: number;
  /** Values, plus characters of strings, in the result after substitution. A text without substitutions has no such bound. */
  size: number;
  /** Steps of resolving. */
  steps: number;
  /** Files read through includes. */
  includes: number;
  /** Problems reported. */
  problems: number;
}

export const defaultLimits: Limits = {
  depth: 1_000,
  size: 4_194_304,
  steps: 5_000_000,
  includes: 1_000,
  problems: 100,
};
