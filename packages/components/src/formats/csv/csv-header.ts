import { HeadraceError, nearest, RESERVED_FIELDS } from '@headrace/engine';
import { idFieldsOf } from '../id-settings.ts';
import type { CsvSettings } from './csv-settings.ts';

/** A column that makes no field, or not the field that the user expects. */
export interface HeaderWarning {
  readonly code: 'column.duplicate' | 'column.reserved';
  readonly column: string;
  readonly message: string;
}

/** Sources of a field's value that are not columns. A column is a number from 0. */
export const FROM_ID = -1;
export const FROM_PATH = -2;
export const FROM_NAME = -3;
export const FROM_LINE = -4;

/** The fields of the documents of a file, and the sources of their values. */
export interface CsvLayout {
  /** The number of cells that a row must have. */
  readonly columns: number;
  /** The names of the fields, in order, with `id` first. */
  readonly names: readonly string[];
  /** For each field, the sources of its value in the order of writing: the last one overwrites the others. */
  readonly sources: readonly (readonly number[])[];
  /** The columns that form the id. If the list is empty, the line number forms the id. */
  readonly idColumns: readonly number[];
  /** The warnings about the header. They do not depend on the file. */
  readonly warnings: readonly HeaderWarning[];
}

/**
 * Returns the layout of documents for the header of a file.
 * Throws `HR_SOURCE_UNREADABLE` for a header with which every row would fail.
 */
export function readHeader(header: readonly string[], settings: CsvSettings, path: string): CsvLayout {
  const lowercase = settings.lowercaseFields === true;
  const columns = lowercase ? header.map((name) => name.toLowerCase()) : header;
  const empty = columns.indexOf('');
  if (empty >= 0) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: column ${empty + 1} of the header has no name`, {
      hint: 'The first record is the header. Remove the trailing separator or the empty first line, or name the column.',
    });
  }
  const idFields = idFieldsOf(settings).map((field) => (lowercase ? field.toLowerCase() : field));
  const warnings: HeaderWarning[] = [];
  const seen = new Set<string>();
  const fields = new Map<string, number[]>([['id', [FROM_ID]]]);
  const write = (name: string, source: number) => {
    const sources = fields.get(name);
    if (sources === undefined) fields.set(name, [source]);
    else sources.push(source);
  };
  write(settings.filePathField, FROM_PATH);
  write(settings.filenameField, FROM_NAME);
  for (const [i, name] of columns.entries()) {
    if (RESERVED_FIELDS.has(name)) {
      if (idFields.includes(name)) continue;
      warnings.push({
        code: 'column.reserved',
        column: name,
        message: `column "${name}" makes no field, because the name is reserved; idField may use it`,
      });
    } else {
      if (seen.has(name)) {
        const message = `column "${name}" occurs more than once: the last one makes the field`;
        warnings.push({ code: 'column.duplicate', column: name, message });
      }
      seen.add(name);
      write(name, i);
    }
  }
  write(settings.lineNumberField, FROM_LINE);
  return {
    columns: columns.length,
    names: [...fields.keys()],
    sources: [...fields.values()],
    idColumns: idFields.map((field) => idColumn(field, columns, path)),
    warnings,
  };
}

function idColumn(field: string, columns: readonly string[], path: string): number {
  const at = columns.indexOf(field);
  if (at >= 0) return at;
  const best = nearest(field, [...columns]);
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: the header has no column "${field}" for the id`, {
    hint: best === undefined ? `The columns are: ${columns.join(', ')}.` : `Did you mean ${best}?`,
  });
}
