import {
  base64,
  type Document,
  Double,
  HeadraceError,
  type JsonObject,
  type Logger,
  messageOf,
  parseJson,
  RESERVED_FIELDS,
  type Value,
} from '@headrace/engine';
import type { RefusedOperation, ScriptHost } from '@headrace/sandbox/javascript';
import { RAW_DOCUMENT } from './raw-document.ts';

/** Gives a script access to its current document. All script engines use it. */
export class DocumentHost implements ScriptHost<Document> {
  readonly methods = Object.keys(RAW_DOCUMENT);
  readonly #logger: Logger;
  #current: Document | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  set document(document: Document | undefined) {
    this.#current = document;
  }

  get document(): Document {
    if (this.#current === undefined)
      throw new Error('There is no current document: the script still runs after the document ended');
    return this.#current;
  }

  names(): readonly string[] {
    return this.document.fieldNames;
  }

  has(name: string): boolean {
    return this.document.has(name);
  }

  read(name: string): Value | undefined {
    return this.document.get(name);
  }

  write(name: string, value: unknown): RefusedOperation | undefined {
    try {
      this.document.set(name, value as Value);
      return undefined;
    } catch (error) {
      return refusal(error);
    }
  }

  remove(name: string): boolean {
    if (RESERVED_FIELDS.has(name)) return false;
    this.document.delete(name);
    return true;
  }

  call(method: string, args: unknown[]): { value?: Value; refusal?: RefusedOperation } {
    try {
      const value = RAW_DOCUMENT[method]?.(this.document, args as Value[]);
      return value === undefined ? {} : { value };
    } catch (error) {
      return { refusal: refusal(error) };
    }
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void {
    this.#logger[level](text);
  }

  list(): Value[] {
    return [];
  }

  map(): JsonObject {
    return new Map();
  }

  isMap(value: object): boolean {
    return value instanceof Map;
  }

  double(value: number): Double {
    return new Double(value);
  }

  parse(text: string): unknown {
    return parseJson(text);
  }

  doubleValue(value: object): number | undefined {
    return value instanceof Double ? value.value : undefined;
  }

  bytesText(value: object): string | undefined {
    return value instanceof Uint8Array ? base64(value) : undefined;
  }
}

function refusal(error: unknown): RefusedOperation {
  return { code: error instanceof HeadraceError ? error.code : 'HR_STAGE_FAILED', message: messageOf(error) };
}
