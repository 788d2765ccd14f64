import type { Static, TLiteral, TObject, TSchema, TUnion, TUnsafe } from 'typebox';
import { Type } from '#typebox';
import type { Cap } from '../policy/policy-limits.ts';

export type { Static, TObject, TSchema } from 'typebox';
export { Type };

/**
 * Options of a parameter that has no effect and is accepted because the reference has it. Setting it causes a warning.
 */
export const NO_EFFECT = { noEffect: true } as const;

/**
 * Returns the options of a number with a useful range. The reference also accepts values outside the range. Such a
 * value causes a warning, and the nearest value in the range is used.
 */
export function clamped(range: { readonly minimum?: number; readonly maximum?: number }): { clamp: typeof range } {
  return { clamp: range };
}

/**
 * Options of a map that converts numbers and booleans to strings. Without this option, a map of strings only accepts
 * strings: most such maps contain field names, and `{title: 5}` is a mistake.
 */
export const COERCED = { coerced: true } as const;

/**
 * Returns the options of a number that a policy limits.
 * @param limit the name of the limit
 * @param options.scale as in `Cap`; defaults to 1
 */
export function capped(limit: Cap['limit'], { scale = 1, ...options }: Partial<Omit<Cap, 'limit'>> = {}): { cap: Cap } {
  return { cap: { limit, scale, ...options } };
}

/** Options of an object whose parameters the reference lists with dotted names, such as `kafka.topic`. */
export const FLAT = { flat: true } as const;

/** Options of a string that names a local file or a host. The config check reports values that the policy forbids. */
export const READS = { access: 'read' } as const;
export const WRITES = { access: 'write' } as const;
export const CONNECTS = { access: 'connect' } as const;
export const QUERIES = { access: 'query' } as const;

/** One possible class of a nested object. */
export interface ClassChoice {
  readonly names: readonly string[];
  readonly parameters: TObject;
  /** The component whose source describes these parameters. */
  readonly describedBy?: string;
}

/**
 * The option `choices` of a map of free-form objects that the component checks itself. It lists the possible values for
 * editors.
 */
export interface ClassChoices {
  readonly classes: readonly ClassChoice[];
  /** The names of classes whose parameters are not known, because they may not be installed. */
  readonly others?: readonly string[];
  /** For an object that does not name a class: the class by the key of the object in the map. */
  readonly byKey?: Readonly<Record<string, string>>;
}

/**
 * Returns the schema of a map from names to values, in the order of the config. A string must be a string in the config
 * too, unless `options` has `COERCED`. In TypeScript, the value is a `ReadonlyMap`, because the keys are field names,
 * which include `10` and `__proto__`. In the schema it is an object.
 */
export function MapOf<T extends TSchema>(
  values: T,
  options: Record<string, unknown> = {},
): TUnsafe<ReadonlyMap<string, Static<T>>> {
  return Type.Unsafe<ReadonlyMap<string, Static<T>>>(Type.Record(Type.String(), values, options));
}

/** Returns the schema of a string with several possible values. Letter case matters. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  options: Record<string, unknown> = {},
): TUnion<{ -readonly [I in keyof T]: TLiteral<T[I] & string> }> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  ) as unknown as TUnion<{ -readonly [I in keyof T]: TLiteral<T[I] & string> }>;
}

/**
 * The parameter `updateMode`, which many stages have. It says what happens to a destination field that already exists.
 */
export const UpdateModeParameter = OneOf(['overwrite', 'append', 'skip'], { default: 'overwrite' });
