import { HeadraceError, nearest, RESERVED_FIELDS } from '@headrace/engine';
import { idFieldsOf } from '../id-settings.ts';
import type { CsvSettings } from './csv-settings.ts';

/** The source of a field's value, if it is not a column (which is given by its number, from 0). */
export const FROM_ID = -1;
export const FROM_PATH = -2;
export const FROM_NAME = -3;
export const FROM_LINE = -4;

/** Which fields a document of the file has, and where their values come from. */
export interface CsvLayout {
  /** How many cells a row must have. */
  readonly columns: number;
  /** Names of the fields, in order, `id` first. */
  readonly names: readonly string[];
  /** For each field the sources of its value, in the order in which they are written: the last one stays. */
  readonly sources: readonly (readonly number[])[];
  /** The columns that make the id; none: the line number does. */
  readonly idColumns: readonly number[];
  /** What a user should know about the header, whichever file has it. */
  readonly warnings: readonly string[];
}

/**
 * Works out from the header of a file what its documents look like. Throws `HR_SOURCE_UNREADABLE` for a header with
 * which every row would fail.
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
  const warnings: string[] = [];
  const seen = new Set<string>();
  const fields = new Map<string, number[]>([['id', [FROM_ID]]]);
  const write = (name: string, source: number) => {
    const sources = fields.get(name);
    if (sources === undefined) fields.set(name, [source]);
    else sources.push(source);
  };
  write(settings.filePathField ?? 'source', FROM_PATH);
  write(settings.filenameField ?? 'filename', FROM_NAME);
  for (const [i, name] of columns.entries()) {
    if (RESERVED_FIELDS.has(name)) {
      if (idFields.includes(name)) continue;
      warnings.push(`column "${name}" makes no field, because the name is reserved; idField may use it`);
    } else {
      if (seen.has(name)) warnings.push(`column "${name}" occurs more than once: the last one makes the field`);
      seen.add(name);
      write(name, i);
    }
  }
  write(settings.lineNumberField ?? 'csvLineNumber', FROM_LINE);
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
    hint: best === undefined ? `Columns are: ${columns.join(', ')}.` : `Did you mean ${best}?`,
  });
}
