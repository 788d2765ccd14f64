import type { Static, TLiteral, TObject, TSchema, TUnion, TUnsafe } from 'typebox';
import { Type } from '#typebox';
import type { Cap } from '../policy/policy-limits.ts';

export type { Static, TObject, TSchema } from 'typebox';
export { Type };

/**
 * Options of a parameter that is accepted because the reference has it, but has no effect. Setting it causes a warning.
 */
export const NO_EFFECT = { noEffect: true } as const;

/**
 * Options of a number with a useful range. The reference also takes values outside the range. Such a value causes a
 * warning, and the nearest value within the range is used.
 */
export function clamped(range: { readonly minimum?: number; readonly maximum?: number }): { clamp: typeof range } {
  return { clamp: range };
}

/**
 * Options of a map: numbers and booleans among its values count as texts. Without this option a map of texts takes
 * texts only, because most such maps contain field names, and `{title: 5}` is a mistake.
 */
export const COERCED = { coerced: true } as const;

/**
 * Options of a number that a policy limits.
 * @param limit the name of the limit
 * @param options.scale as in `Cap`; 1 when absent
 */
export function capped(limit: Cap['limit'], { scale = 1, ...options }: Partial<Omit<Cap, 'limit'>> = {}): { cap: Cap } {
  return { cap: { limit, scale, ...options } };
}

/** Options of an object whose parameters the reference lists as flat names with dots: `kafka.topic`. */
export const FLAT = { flat: true } as const;

/** Options of a text that names a local file or a host. The check of the config reports what a policy forbids. */
export const READS = { access: 'read' } as const;
export const WRITES = { access: 'write' } as const;
export const CONNECTS = { access: 'connect' } as const;
export const QUERIES = { access: 'query' } as const;

/** The possible classes of a nested object, by the names of the class. */
export interface ClassChoice {
  readonly names: readonly string[];
  readonly parameters: TObject;
  /** The component that has the same parameters and describes them. */
  readonly describedBy?: string;
}

/**
 * The option `choices` of a map of free-form objects that the component checks itself: the possible values, for
 * editors.
 */
export interface ClassChoices {
  readonly classes: readonly ClassChoice[];
  /** The class of objects that do not name one, by their key in the map. */
  readonly byKey?: Readonly<Record<string, string>>;
}

/**
 * A map from names to values, kept in the order of the config. Texts must be texts in the config too, unless `options`
 * has `COERCED`. In TypeScript it is a `ReadonlyMap`, because the keys are field names (including `10` and
 * `__proto__`). In the schema it is an object.
 */
export function MapOf<T extends TSchema>(
  values: T,
  options: Record<string, unknown> = {},
): TUnsafe<ReadonlyMap<string, Static<T>>> {
  return Type.Unsafe<ReadonlyMap<string, Static<T>>>(Type.Record(Type.String(), values, options));
}

/** One of several texts. Letter case matters. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  options: Record<string, unknown> = {},
): TUnion<{ -readonly [I in keyof T]: TLiteral<T[I] & string> }> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  ) as unknown as TUnion<{ -readonly [I in keyof T]: TLiteral<T[I] & string> }>;
}

/** The parameter `updateMode` that many stages share: what happens to a destination that exists. */
export const UpdateModeParameter = Type.Optional(OneOf(['overwrite', 'append', 'skip'], { default: 'overwrite' }));
