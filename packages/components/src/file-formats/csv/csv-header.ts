import { HeadraceError, type NoticeCode, nearest, RESERVED_FIELDS } from '@headrace/engine';
import { idFieldsOf } from '../id-settings.ts';
import type { CsvSettings } from './csv-settings.ts';

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
  /** The fields that have the values of all their columns. */
  readonly lists: ReadonlySet<string>;
  /** The columns that form the id. If the list is empty, the line number forms the id. */
  readonly idColumns: readonly number[];
  /** The columns without a name. They make no field. */
  readonly unnamed: readonly number[];
  /** What is wrong with the header. It does not depend on the file. */
  readonly problems: readonly HeaderProblem[];
}

export interface HeaderProblem {
  readonly code: NoticeCode;
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the layout of documents for the header of a file.
 * Throws `HR_SOURCE_UNREADABLE` for a header with which every row would fail.
 */
export function readHeader(header: readonly string[], settings: CsvSettings, path: string): CsvLayout {
  const { duplicateColumns } = settings;
  const lowercase = settings.lowercaseFields === true;
  const given = lowercase ? header.map((name) => name.toLowerCase()) : header;
  const columns = duplicateColumns === 'number' ? numbered(given) : given;
  const unnamed = [...columns.keys()].filter((i) => (columns[i] as string).trim() === '');
  refuse(columns, unnamed, settings, path);
  const idFields = idFieldsOf(settings).map((field) => (lowercase ? field.toLowerCase() : field));
  const problems: HeaderProblem[] = [];
  const seen = new Set<string>();
  const lists = new Set<string>();
  const fields = new Map<string, number[]>([['id', [FROM_ID]]]);
  const write = (name: string, source: number) => {
    const sources = fields.get(name);
    if (sources === undefined) fields.set(name, [source]);
    else sources.push(source);
  };
  write(settings.filePathField, FROM_PATH);
  write(settings.filenameField, FROM_NAME);
  for (const [i, name] of columns.entries()) {
    if (unnamed.includes(i)) {
      const message = `column ${i + 1} has no name, so it makes no field`;
      problems.push({ code: 'csv.emptyColumn', field: `column ${i + 1}`, message });
      continue;
    }
    if (RESERVED_FIELDS.has(name)) {
      if (idFields.includes(name)) continue;
      const message = `column "${name}" makes no field, because the name is reserved; idField may use it`;
      problems.push({ code: 'column.reserved', field: name, message });
    } else {
      if (seen.has(name)) {
        if (duplicateColumns === 'list') lists.add(name);
        else {
          const message = `column "${name}" occurs more than once: the last one makes the field; duplicateColumns keeps all`;
          problems.push({ code: 'column.duplicate', field: name, message });
        }
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
    lists,
    idColumns: idFields.map((field) => idColumn(field, columns, path)),
    unnamed,
    problems,
  };
}

/** Returns the names, with numbers for repeated ones: name, name_2, name_3. */
function numbered(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    if (name.trim() === '' || !seen.has(name)) {
      seen.add(name);
      return name;
    }
    let number = 2;
    while (taken.has(`${name}_${number}`)) number++;
    const unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}

function refuse(
  columns: readonly string[],
  unnamed: readonly number[],
  { emptyColumns, duplicateColumns }: CsvSettings,
  path: string,
): void {
  const first = unnamed[0];
  if (first !== undefined && (emptyColumns === 'fail' || unnamed.length === columns.length)) {
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: column ${first + 1} of the header has no name`, {
      hint:
        unnamed.length === columns.length
          ? 'The first record is the header. Remove the empty first line, or set skipLines.'
          : 'The first record is the header. Remove the trailing separator, name the column, or set emptyColumns: ignore.',
    });
  }
  const repeated = columns.find((name, i) => name.trim() !== '' && columns.indexOf(name) < i);
  if (repeated !== undefined && duplicateColumns === 'fail') {
    throw new HeadraceError(
      'HR_SOURCE_UNREADABLE',
      `${path}: column "${repeated}" of the header occurs more than once`,
      {
        hint: 'Rename the column, or set duplicateColumns: number, list or last.',
      },
    );
  }
}

function idColumn(field: string, columns: readonly string[], path: string): number {
  const at = columns.indexOf(field);
  if (at >= 0) return at;
  const best = nearest(field, [...columns]);
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${path}: the header has no column "${field}" for the id`, {
    hint: best === undefined ? `The columns are: ${columns.join(', ')}.` : `Did you mean ${best}?`,
  });
}
