import {
  copyValue,
  Document,
  Double,
  double,
  getNested,
  HeadraceError,
  integer,
  parseNestedPath,
  removeNested,
  setNested,
  textOf,
  type UpdateMode,
  type Value,
} from '@headrace/engine';

type Method = (document: Document, args: readonly Value[]) => Value | undefined;

const MAX_INT = 2 ** 31 - 1;
const MAX_LONG = 2n ** 63n - 1n;

/**
 * The methods of `rawDoc`: the document interface of the reference. Arguments and results are values of documents. A
 * missing field, null and an empty list return null.
 */
export const RAW_DOCUMENT: Readonly<Record<string, Method>> = {
  getId: (document) => document.id,
  getRunId: (document) => document.runId,
  has: (document, args) => document.has(name(args)),
  hasNonNull: (document, args) => (document.get(name(args)) ?? null) !== null,
  isMultiValued: (document, args) => Array.isArray(document.get(name(args))),
  length: (document, args) => document.length(name(args)),
  getFieldNames: (document) => [...document.fieldNames],
  asMap: (document) => document.toObject(),
  toString: (document: Document) => document.toJson(),

  getString: getter(textOf),
  getStringList: listGetter(textOf),
  getInt: getter(toInt),
  getIntList: listGetter(toInt),
  getLong: getter(toLong),
  getLongList: listGetter(toLong),
  getFloat: getter((value) => (typeof value === 'string' ? 0 : double(Math.fround(toNumber(value))))),
  getFloatList: listGetter((value) => (typeof value === 'string' ? 0 : double(Math.fround(toNumber(value))))),
  getDouble: getter((value) => double(toNumber(value))),
  getDoubleList: listGetter((value) => double(toNumber(value))),
  getBoolean: getter(toBoolean),
  getBooleanList: listGetter(toBoolean),
  getJson: (document, args) => copied(document.get(name(args))),
  getJsonList: listGetter(copyValue),
  getNestedJson: (document, args) => copied(getNested(document, parseNestedPath(name(args)))),

  setField: (document, args) => document.set(name(args), given(args, 1)) as undefined,
  addToField: (document, args) => document.add(name(args), given(args, 1)) as undefined,
  setOrAdd: (document, args) => document.setOrAdd(name(args), given(args, 1)) as undefined,
  update: (document, args) => document.update(name(args), mode(args[1]), args.slice(2)) as undefined,
  removeField: (document, args) => document.remove(name(args)) as undefined,
  removeFromArray: (document, args) => {
    const list = document.get(name(args));
    if (list === undefined) return undefined;
    if (!Array.isArray(list)) throw wrongType(`Field "${name(args)}" is not a list`);
    const index = Number(given(args, 1));
    document.set(
      name(args),
      list.filter((_, i) => i !== index),
    );
    return undefined;
  },
  renameField: (document, args) => document.rename(name(args), name(args, 1), mode(args[2])) as undefined,
  removeDuplicateValues: (document, args) =>
    document.removeDuplicates(
      name(args),
      args[1] === undefined || args[1] === null ? undefined : name(args, 1),
    ) as undefined,
  setNestedJson: (document, args) => setNested(document, parseNestedPath(name(args)), given(args, 1)) as undefined,
  removeNestedJson: (document, args) => removeNested(document, parseNestedPath(name(args))) as undefined,

  isDropped: (document) => document.dropped,
  setDropped: (document, args) => (args[0] === true ? document.drop() : document.delete('___dropped')) as undefined,
  isSkipped: (document) => document.skipped,
  setSkipped: (document, args) => (args[0] === true ? document.skip() : document.delete('___skipped')) as undefined,
  hasChildren: (document) => document.has('___children'),
  getChildren: (document) => document.children().map((child) => child.toObject()),
  addChild: (document, args) => {
    if (!(args[0] instanceof Map)) throw wrongType('addChild needs an object with an id');
    document.addChild(Document.fromObject(args[0]));
    return undefined;
  },
  removeChildren: (document) => document.removeChildren() as undefined,
};

function getter(convert: (value: Value) => Value | null): Method {
  return (document, args) => {
    const value = document.first(name(args));
    return value === undefined || value === null ? null : convert(value);
  };
}

function listGetter(convert: (value: Value) => Value | null): Method {
  return (document, args) => {
    if (!document.has(name(args))) return null;
    return document.values(name(args)).map((value) => (value === null ? null : convert(value)));
  };
}

function copied(value: Value | undefined): Value | undefined {
  return value === undefined ? undefined : copyValue(value);
}

function name(args: readonly Value[], at = 0): string {
  const value = args[at];
  if (typeof value === 'string') return value;
  throw wrongType(`Argument ${at + 1} must be the name of a field`);
}

function given(args: readonly Value[], at: number): Value {
  const value = args[at];
  if (value === undefined) throw wrongType(`Argument ${at + 1} is missing`);
  return value;
}

function mode(value: Value | undefined): UpdateMode {
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (text === 'overwrite' || text === 'append' || text === 'skip') return text;
  throw wrongType('The update mode must be UpdateMode.OVERWRITE, UpdateMode.APPEND or UpdateMode.SKIP');
}

/** Converts a value to a number. Numeric texts are parsed, and other values are 0. */
function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : 0;
  return Number.isNaN(number) ? 0 : number;
}

function toInt(value: Value): number {
  return Math.max(-MAX_INT - 1, Math.min(MAX_INT, Math.trunc(toNumber(value)) || 0));
}

function toLong(value: Value): number | bigint {
  if (typeof value === 'bigint') return value;
  const whole =
    typeof value === 'string' && /^\s*[-+]?\d+\s*$/.test(value) ? BigInt(value.trim().replace('+', '')) : undefined;
  const number = Math.trunc(toNumber(value)) || 0;
  const long = whole ?? (Number.isFinite(number) ? BigInt(number) : number > 0 ? MAX_LONG : -MAX_LONG - 1n);
  return integer(long > MAX_LONG ? MAX_LONG : long < -MAX_LONG - 1n ? -MAX_LONG - 1n : long);
}

function toBoolean(value: Value): boolean {
  if (typeof value === 'string') return value.trim() === 'true';
  return value === true || (Number.isSafeInteger(value) && value !== 0) || (typeof value === 'bigint' && value !== 0n);
}

function wrongType(message: string): HeadraceError {
  return new HeadraceError('HR_DOCUMENT_TYPE', message);
}
