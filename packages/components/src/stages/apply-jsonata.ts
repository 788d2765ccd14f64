import {
  base64,
  type Document,
  equalValues,
  getNested,
  HeadraceError,
  isMemoryError,
  type JsonObject,
  joinedText,
  messageOf,
  type NestedPath,
  type ParameterProblem,
  parseNestedPath,
  RESERVED_FIELDS,
  Stage,
  type StageContext,
  type Static,
  setNested,
  Type,
  type Value,
} from '@headrace/engine';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import type { Jsonata } from '@headrace/languages/jsonata';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The JSONata expression. */
  expression: Type.String(),
  /** The field to evaluate it on, or a path into one, such as address.city. Defaults to the whole document. */
  source: Type.Optional(Type.String()),
  /** The field for the result, or a path into one. It has no effect without source. Defaults to source. */
  destination: Type.Optional(Type.String()),
});

/**
 * Evaluates a JSONata expression on a field, or on the whole document.
 *
 * With source, the expression sees the value of that field (a list as a whole, bytes as base64 text), and its result
 * replaces the destination. Without source, the expression sees the document as an object. Its result must be an
 * object, which replaces all fields: fields that it does not name are removed. The id and other reserved fields stay;
 * an expression may name them but not change them. It may add "___dropped": true to drop the document.
 *
 * A mistake in the expression is reported when the stage starts, in a run or a preview. Validation does not check it.
 * The document does not change if the result is empty or null. If the expression fails, or its result cannot be
 * written, the document does not change either, which is a notice. Values that an expression only moves keep
 * their kind, such as 1.0 or an integer of 19 digits. Computed whole numbers are integers. Regular expressions are
 * those of Java.
 *
 * Ordinary expressions (paths, conditions, sorting, operators, objects and lists, most functions) take a few
 * microseconds. Others, such as |…|…|, named functions and $each, take tens of microseconds.
 */
export class ApplyJSONata extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Make an object of a field',
      params: {
        expression: '{"title": $uppercase(name), "total": $sum(items.(price * quantity))}',
        source: 'order',
        destination: 'summary',
      },
      documents: [
        {
          id: '1',
          order: {
            name: 'Ann',
            items: [
              { price: 2.5, quantity: 2 },
              { price: 10, quantity: 1 },
            ],
          },
        },
      ],
      output: [
        {
          id: '1',
          order: {
            name: 'Ann',
            items: [
              { price: 2.5, quantity: 2 },
              { price: 10, quantity: 1 },
            ],
          },
          summary: { title: 'ANN', total: 15 },
        },
      ],
    },
    {
      description: 'Rewrite the whole document',
      params: { expression: '{"name": first & " " & last, "adult": age >= 18}' },
      documents: [{ id: '1', first: 'Ann', last: 'Lee', age: 41 }],
      output: [{ id: '1', name: 'Ann Lee', adult: true }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const parameter of ['source', 'destination'] as const) {
      const name = params[parameter];
      if (name === undefined) continue;
      try {
        const [root = ''] = parseNestedPath(name);
        if (parameter === 'destination' || (params.destination === undefined && params.source !== undefined)) {
          yield* checkDestination(parameter, String(root));
        }
      } catch (error) {
        yield { parameter, message: `${parameter} cannot be used: ${messageOf(error)}` };
      }
    }
    if (params.destination !== undefined && params.source === undefined) {
      yield {
        parameter: 'destination',
        message: 'destination has no effect without source: the result replaces the whole document',
        severity: 'warning',
      };
    }
  }

  readonly #sourcePath: NestedPath;
  readonly #destinationPath: NestedPath | undefined;
  #jsonata!: Jsonata;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#sourcePath = parseNestedPath(params.source ?? '');
    this.#destinationPath = params.destination === undefined ? undefined : parseNestedPath(params.destination);
  }

  override async start(): Promise<void> {
    const { compileJsonata } = await import('@headrace/languages/jsonata');
    try {
      this.#jsonata = await compileJsonata(this.params.expression, compileJavaRegex);
    } catch (error) {
      throw new HeadraceError('HR_STAGE_START', `The JSONata expression cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  override process(document: Document): void | Promise<void> {
    try {
      const input = this.params.source === undefined ? objectOf(document) : this.#read(document, this.params.source);
      if (input === undefined) return;
      const result = this.#jsonata.evaluate(input) as Value | undefined | Promise<Value | undefined>;
      if (result instanceof Promise) return this.#finish(document, result);
      this.#write(document, result);
    } catch (error) {
      this.#fail(document, error);
    }
  }

  async #finish(document: Document, result: Promise<Value | undefined>): Promise<void> {
    try {
      this.#write(document, await result);
    } catch (error) {
      this.#fail(document, error);
    }
  }

  #fail(document: Document, error: unknown): void {
    if (isMemoryError(error)) throw error;
    const hint = `The expression failed: ${messageOf(error)}`;
    this.context.notices.report('stage.unchanged', { document: document.id, hint });
  }

  /** Returns the value of the field with exactly this name, or else the value at this path. */
  #read(document: Document, source: string): Value | undefined {
    const value =
      document.get(source) ?? (this.#sourcePath.length > 1 ? getNested(document, this.#sourcePath) : undefined);
    return value instanceof Uint8Array ? base64(value) : value;
  }

  #write(document: Document, result: Value | undefined): void {
    if (result === undefined || result === null) return;
    const { source } = this.params;
    if (source === undefined) replaceFields(document, result);
    else {
      const value = typeof result === 'string' ? joinedText(result) : result;
      if (this.#destinationPath !== undefined) setNested(document, this.#destinationPath, value);
      else if (this.#sourcePath.length === 1 || document.has(source)) document.set(source, value);
      else setNested(document, this.#sourcePath, value);
    }
  }
}

/** Returns the document as an object, which shares the values of the document. */
function objectOf(document: Document): JsonObject {
  const object: JsonObject = new Map();
  const { fieldNames, fieldValues } = document;
  for (let i = 0; i < fieldNames.length; i++) {
    const value = fieldValues[i] as Value;
    object.set(fieldNames[i] as string, value instanceof Uint8Array ? base64(value) : value);
  }
  return object;
}

function replaceFields(document: Document, fields: Value): void {
  if (!(fields instanceof Map)) throw new TypeError('the result must be an object, to replace the whole document');
  for (const [name, value] of fields) {
    if (name === '') throw new TypeError('the result has a member without a name');
    if (!RESERVED_FIELDS.has(name)) continue;
    const present = document.get(name);
    if (present !== undefined && !equalValues(present, value)) {
      throw new TypeError(`the result changes ${name}, which is a reserved field`);
    }
  }
  for (const name of [...document.fieldNames]) if (!RESERVED_FIELDS.has(name)) document.delete(name);
  for (const [name, value] of fields) document.put(name, value);
}
