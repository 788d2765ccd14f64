import { readJson } from '../document/json-reader.ts';
import { writeValue } from '../document/json-writer.ts';
import type { JsonObject, Value } from '../document/value.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { KeptDocument, KeptFailure } from './kept-failure.ts';

/**
 * The content follows this text. The text cannot occur inside a JSON string, because quotes in strings have a
 * backslash.
 */
const DOCUMENT = ',"document":';

/**
 * Returns a failed document as one line of JSON. It is stored, returned by the API and written to files in this format.
 */
export function writeFailureLine(kept: KeptFailure): string {
  const { id, connector, pipeline, at, failure, status, omitted, document } = kept;
  const { code, message, hint } = failure;
  const head = { id, connector, pipeline, at, code, message, hint, status, processed: document?.kind === 'encoded' };
  if (document === undefined) return JSON.stringify({ ...head, omitted });
  if (document.kind === 'encoded') {
    const start = JSON.stringify({ ...head, encoding: document.encoding });
    return `${start.slice(0, -1)}${DOCUMENT}${JSON.stringify(document.text)}}`;
  }
  const { binaryFields, json } = document;
  const start = JSON.stringify(binaryFields.length === 0 ? head : { ...head, binaryFields });
  return `${start.slice(0, -1)}${DOCUMENT}${json}}`;
}

/** Removes the document from the end of a line of `writeFailureLine`. */
export function withoutDocument(line: string, omitted: string): string {
  const at = line.indexOf(DOCUMENT);
  if (at < 0) return line;
  const { binaryFields: _fields, encoding: _encoding, ...head } = JSON.parse(`${line.slice(0, at)}}`);
  return JSON.stringify({ ...head, processed: false, omitted });
}

/** The data that a run needs to process a failed document again. */
export interface FailedInput {
  readonly id: string;
  readonly connector: string;
  readonly document?: KeptDocument;
  /** The reason why the document is missing. */
  readonly omitted: string;
}

/** Parses a line of `writeFailureLine`, which a user may have edited. Throws `HR_RETRY_INVALID`. */
export function readFailureLine(line: string): FailedInput {
  const value = parse(line);
  if (!(value instanceof Map)) throw invalid('it is not a JSON object');
  const id = textAt(value, 'id');
  const connector = textAt(value, 'connector');
  const document = value.get('document');
  if (document === undefined) {
    const omitted = value.get('omitted');
    if (typeof omitted === 'string') return { id, connector, omitted };
    const unreadable = value.get('at') === 'connector';
    return { id, connector, omitted: unreadable ? 'The record could not be read' : 'Its content is not known' };
  }
  if (value.get('processed') === true) {
    if (typeof document !== 'string') throw invalid('"document" of a processed document must be a string');
    return {
      id,
      connector,
      omitted: '',
      document: { kind: 'encoded', text: document, encoding: textAt(value, 'encoding') },
    };
  }
  if (!(document instanceof Map)) throw invalid('"document" must be an object');
  textAt(document, 'id', 'document.');
  const binaryFields = value.get('binaryFields') ?? [];
  if (!Array.isArray(binaryFields) || !binaryFields.every((field): field is string => typeof field === 'string')) {
    throw invalid('"binaryFields" must be a list of strings');
  }
  return { id, connector, omitted: '', document: { kind: 'input', json: writeValue(document), binaryFields } };
}

function parse(line: string): Value {
  try {
    return readJson(line);
  } catch (error) {
    throw invalid(`it is not JSON: ${(error as Error).message}`);
  }
}

function textAt(object: JsonObject, name: string, prefix = ''): string {
  const value = object.get(name);
  if (typeof value !== 'string' || value === '') throw invalid(`"${prefix}${name}" must be a non-empty string`);
  return value;
}

function invalid(reason: string): HeadraceError {
  return new HeadraceError('HR_RETRY_INVALID', reason);
}
