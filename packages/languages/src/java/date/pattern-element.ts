import type { Field } from './date-fields.ts';
import type { NamedValue } from './locale-names.ts';

/** The kinds of elements in a date pattern. Each element reads a part of the text. */
export const Kind = {
  number: 0,
  twoDigits: 1,
  /** A year of two digits, 2000 to 2099. */
  reducedYear: 2,
  fraction: 3,
  literal: 4,
  name: 5,
  offset: 6,
  localizedOffset: 7,
  zoneId: 8,
  zoneName: 9,
  optional: 10,
  padded: 11,
} as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

export const Sign = {
  /** Only digits are allowed. */
  none: 0,
  /** The number may have a minus. */
  minus: 1,
  /**
   * The number may have a minus. It needs a plus if it has more digits than the minimum, and must not have one
   * otherwise.
   */
  plusBeyondWidth: 2,
} as const;

export type Sign = (typeof Sign)[keyof typeof Sign];

/** All kinds have the same shape, which keeps the loop over them fast. Unused properties have a neutral value. */
export interface Element {
  readonly kind: Kind;
  readonly field: Field;
  /** The minimum and maximum number of digits. For `padded`, `min` is the width. */
  readonly min: number;
  readonly max: number;
  readonly sign: Sign;
  /** The number of digits that belong to the next fields, which follow without a separator. */
  reserved: number;
  /** The literal, or for an offset the text of the zero offset. */
  readonly text: string;
  readonly names: readonly NamedValue[];
  /**
   * For offsets: with colons, with required minutes, with allowed seconds. For names and localized offsets: the long
   * form.
   */
  readonly colon: boolean;
  readonly minutes: boolean;
  readonly seconds: boolean;
  readonly long: boolean;
  readonly inner: readonly Element[];
}

const NEUTRAL: Element = {
  kind: Kind.literal,
  field: 0,
  min: 0,
  max: 0,
  sign: Sign.none,
  reserved: 0,
  text: '',
  names: [],
  colon: false,
  minutes: false,
  seconds: false,
  long: false,
  inner: [],
};

export function element(kind: Kind, values: Partial<Element>): Element {
  return { ...NEUTRAL, ...values, kind };
}
