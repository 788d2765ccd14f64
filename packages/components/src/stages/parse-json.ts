import {
  copyValue,
  type Document,
  double,
  HeadraceError,
  type JsonObject,
  MapOf,
  messageOf,
  type ParameterProblem,
  RESERVED_FIELDS,
  readJson,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import { decodeBase64 } from '@headrace/languages/java/text';
import { compileJsonPath, type JsonPath } from '@headrace/languages/json-path';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field with the JSON text. */
  src: Type.String(),
  /**
   * Whether the value is bytes, or UTF-8 text encoded in base64 (standard alphabet, with padding). Any other value
   * fails the document.
   */
  sourceIsBase64: Type.Boolean({ default: false }),
  /**
   * JSON paths in the dialect of Jayway, by the fields that receive the results, as in city: "$.address.city". Missing
   * values and null are not written. A path that may find several values makes a list, with null for each object
   * without the last key. Defaults to all keys of the object, each to the field of its name, including nulls.
   */
  jsonFieldPaths: Type.Optional(MapOf(Type.Unknown())),
  /**
   * What happens to a field that exists: "overwrite" replaces its values, "append" adds to them (a list as one value
   * inside the other), "skip" keeps them.
   */
  updateMode: UpdateModeParameter,
});

/**
 * Reads JSON from a field and copies values of it to fields: the values at the paths, or every key of the object.
 *
 * A document without the field, or with null in it, does not change. If the field is a list, its first value is read.
 * An object is used directly. A text that is not JSON fails the document. So does a key with a reserved name (such as
 * id), and JSON that is not an object if all keys are copied. Text after the JSON is ignored. If a key occurs twice,
 * the last value counts. Long integers stay exact. The field with the JSON stays, unless a key has its name.
 */
export class ParseJson extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Copy every key',
      params: { src: 'json' },
      documents: [{ id: '1', json: '{"title": "A title", "tags": ["a", "b"]}' }],
      output: [{ id: '1', json: '{"title": "A title", "tags": ["a", "b"]}', title: 'A title', tags: ['a', 'b'] }],
    },
    {
      description: 'Copy the values at paths',
      params: { src: 'json', jsonFieldPaths: { city: '$.address.city', prices: '$.items[*].price' } },
      documents: [{ id: '1', json: '{"address": {"city": "Oslo"}, "items": [{"price": 5}, {"price": 7}]}' }],
      output: [
        {
          id: '1',
          json: '{"address": {"city": "Oslo"}, "items": [{"price": 5}, {"price": 7}]}',
          city: 'Oslo',
          prices: [5, 7],
        },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [field, path] of params.jsonFieldPaths ?? []) {
      const parameter = `jsonFieldPaths.${field}`;
      yield* checkDestination(parameter, field);
      if (typeof path !== 'string' || path.trim() === '') {
        yield { parameter, message: `${parameter} must be a JSON path, such as "$.a.b"` };
        continue;
      }
      try {
        compilePath(path);
      } catch (error) {
        yield { parameter, message: `${parameter} is not a JSON path: ${messageOf(error)}` };
      }
    }
  }

  readonly #paths: readonly (readonly [field: string, path: JsonPath<Value>])[] | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const paths = params.jsonFieldPaths as ReadonlyMap<string, string> | undefined;
    this.#paths = paths && [...paths].map(([field, path]) => [field, compilePath(path)]);
  }

  override process(document: Document): void {
    const source = document.first(this.params.src);
    if (source === undefined || source === null) return;
    const json = this.#read(source);
    if (this.#paths === undefined) this.#copyKeys(document, json);
    else if (json === null)
      throw new HeadraceError('HR_STAGE_FAILED', `The JSON in field "${this.params.src}" is null`);
    else this.#copyPaths(document, json, this.#paths);
  }

  #read(source: Value): Value {
    if (Array.isArray(source) || source instanceof Map) return copyValue(source);
    try {
      return readJson(this.params.sourceIsBase64 === true ? decoded(source) : (textOf(source) as string));
    } catch (error) {
      throw new HeadraceError('HR_STAGE_FAILED', `Field "${this.params.src}" is not JSON: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  #copyKeys(document: Document, json: Value): void {
    const { src, updateMode } = this.params;
    if (!(json instanceof Map)) {
      throw new HeadraceError('HR_STAGE_FAILED', `The JSON in field "${src}" is not an object`, {
        hint: 'To read values from other JSON, set jsonFieldPaths.',
      });
    }
    for (const key of json.keys()) checkKey(key, src);
    for (const [key, value] of json as JsonObject) {
      if (updateMode === 'overwrite') document.set(key, value);
      else document.update(key, updateMode as UpdateMode, [value]);
    }
  }

  #copyPaths(
    document: Document,
    json: Value,
    paths: readonly (readonly [field: string, path: JsonPath<Value>])[],
  ): void {
    const mode = this.params.updateMode;
    for (const [field, path] of paths) {
      if (mode === 'skip' && document.has(field)) continue;
      const value = path.evaluate(json);
      if (value === undefined || value === null) continue;
      document.update(field, mode, [copyValue(value)]);
    }
  }
}

function checkKey(key: string, src: string): void {
  if (key !== '' && !RESERVED_FIELDS.has(key)) return;
  const code = key === '' ? 'HR_DOCUMENT_EMPTY_FIELD_NAME' : 'HR_DOCUMENT_RESERVED_FIELD';
  throw new HeadraceError(code, `The JSON in field "${src}" has the key "${key}", which cannot be written`, {
    hint: 'Set jsonFieldPaths: name the values to copy and the fields for them.',
  });
}

function decoded(source: Value): string {
  const bytes = source instanceof Uint8Array ? source : typeof source === 'string' ? decodeBase64(source) : undefined;
  if (bytes === undefined) throw new TypeError('it is not padded base64 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

function compilePath(path: string): JsonPath<Value> {
  return compileJsonPath<Value>(path, { double, regex: compileMatcher });
}

function compileMatcher(pattern: string, flags: string): (text: string) => boolean {
  const regex = compileJavaRegex(pattern, {
    ignoreCase: flags.includes('i'),
    multiline: flags.includes('m'),
    dotall: flags.includes('s'),
    comments: flags.includes('x'),
  });
  return (text) => regex.matches(text);
}
