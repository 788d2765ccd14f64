import { OneOf, type ParameterProblem, RESERVED_FIELDS, type Static, type TObject, Type } from '@headrace/engine';
import type { CsvDialect } from '@headrace/formats/records/csv';
import { checkEncoding, encodingParameters } from '../encoding/encoding-settings.ts';
import { checkIdSettings, type IdSettings } from '../id-settings.ts';

/**
 * The default limit of lines in a cell. A longer cell probably comes from a missing quote: 1000 lines are about 20
 * pages of text. If a valid text is longer, its row is rejected and reported, and one setting allows it. Without a
 * limit, rows could disappear inside a cell without notice.
 */
export const MAX_LINES_PER_CELL = 1000;

/** The parameters for reading CSV, except those of the id. */
export const csvParameters = {
  /**
   * The text between cells: one or more characters, or auto. auto looks at the first rows and chooses between comma,
   * semicolon, tab and vertical bar.
   */
  separatorChar: Type.String({ default: ',' }),
  /** Whether tabs separate cells. It overrides separatorChar. */
  useTabs: Type.Boolean({ default: false }),
  /** The character that encloses cells, an ASCII character. */
  quoteChar: Type.String({ default: '"' }),
  /** Whether quotes enclose cells; otherwise they are ordinary characters. */
  interpretQuotes: Type.Boolean({ default: true }),
  /** Whether a backslash is an ordinary character. Set it for files with Windows paths. */
  ignoreEscapeChar: Type.Boolean({ default: false }),
  /** How many lines before the header (or before the first row, if there is none) are not read. */
  skipLines: Type.Integer({ default: 0, minimum: 0 }),
  /** What begins a comment, such as #. A line that begins with it belongs to no row. */
  commentPrefix: Type.String({ default: '' }),
  /**
   * Whether the first record is the header. Defaults to false if columns has names, otherwise to true. Without a header
   * and without columns, the fields are column_1, column_2, and so on.
   */
  header: Type.Optional(Type.Boolean()),
  /** The names of the columns, for a file without header. With header: true, they replace the names of the header. */
  columns: Type.Array(Type.String(), { default: [] }),
  /**
   * What happens to columns whose name is empty, and to an empty cell after the last column: "ignore" skips them, and counts
   * the values that are lost; "fail" fails the file or the row.
   */
  emptyColumns: OneOf(['ignore', 'fail'], { default: 'ignore' }),
  /**
   * What happens to columns with the same name: "last" keeps only the last one; "number" names them name,
   * name_2, name_3; "list" makes one field with all values; "fail" fails the file.
   */
  duplicateColumns: OneOf(['number', 'last', 'list', 'fail'], { default: 'last' }),
  /** Whether names of columns are turned to lower case. */
  lowercaseFields: Type.Boolean({ default: false }),
  /** Cells with one of these texts are omitted. List the empty text to omit empty cells. */
  ignoredTerms: Type.Array(Type.String(), { default: [] }),
  /** The field for the line number. */
  lineNumberField: Type.String({ default: 'csvLineNumber' }),
  /** The field for the name of the file. */
  filenameField: Type.String({ default: 'filename' }),
  /** The field for the path as it is configured. */
  filePathField: Type.String({ default: 'source' }),
  /** How many lines a quoted cell may have. Raise it for longer texts. */
  maxLinesPerCell: Type.Integer({ default: MAX_LINES_PER_CELL, minimum: 1 }),
  ...encodingParameters,
};

/** The settings for reading CSV. They are plain data, so they can be sent to other threads. */
export type CsvSettings = Static<TObject<typeof csvParameters>> & IdSettings;

/** Returns the CSV syntax of the settings. With a separator that is detected, the separator is not valid. */
export function dialectOf(settings: CsvSettings): CsvDialect {
  return {
    separator: settings.useTabs ? '\t' : settings.separatorChar,
    quote: settings.interpretQuotes ? settings.quoteChar : '',
    escapes: !settings.ignoreEscapeChar,
    comment: settings.commentPrefix,
  };
}

/** Returns whether the separator is detected for each file. */
export function isAutoSeparator({ separatorChar, useTabs }: CsvSettings): boolean {
  return !useTabs && separatorChar.toLowerCase() === 'auto';
}

/** Returns whether the first record of a file is the header. */
export function hasHeader({ header, columns }: CsvSettings): boolean {
  return header ?? columns.length === 0;
}

/** Reports problems that the schema cannot express. */
export function* checkCsvSettings(settings: CsvSettings): Generator<ParameterProblem> {
  yield* checkIdSettings(settings);
  yield* checkEncoding(settings, 'standard');
  yield* checkDialect(settings);
  for (const [i, name] of settings.columns.entries()) {
    if (name === '' && settings.emptyColumns === 'fail') {
      yield { parameter: `columns[${i}]`, message: 'The name of a column must not be empty' };
    }
    if (settings.duplicateColumns === 'fail' && settings.columns.indexOf(name) < i) {
      yield { parameter: `columns[${i}]`, message: `The column "${name}" occurs more than once` };
    }
  }
  if (settings.columns.length > 0 && settings.columns.every((name) => name === '')) {
    yield { parameter: 'columns', message: 'No column has a name' };
  }
  for (const name of ['lineNumberField', 'filenameField', 'filePathField'] as const) {
    const field = settings[name];
    if (field === '') yield { parameter: name, message: `${name} must not be empty` };
    else if (RESERVED_FIELDS.has(field)) {
      yield { parameter: name, message: `${name} cannot be "${field}", which is a reserved field` };
    }
  }
}

function* checkDialect(settings: CsvSettings): Generator<ParameterProblem> {
  const { quote, escapes, comment, ...dialect } = dialectOf(settings);
  const separator = isAutoSeparator(settings) ? '' : dialect.separator;
  const parameter = 'separatorChar';
  if (separator === '' && !isAutoSeparator(settings)) {
    yield { parameter, message: 'separatorChar must not be empty', hint: 'For tabs set useTabs: true.' };
  } else if (/[\n\r\0]/.test(separator)) {
    yield { parameter, message: 'separatorChar cannot contain a line end or the character NUL' };
  } else if (!separator.isWellFormed()) {
    yield { parameter, message: 'separatorChar contains half of a surrogate pair' };
  } else if (quote !== '' && separator.includes(quote)) {
    yield { parameter, message: 'separatorChar cannot contain the quote', hint: 'Set interpretQuotes: false.' };
  } else if (separator.includes('\\') && escapes) {
    const message = 'separatorChar cannot contain the escape character';
    yield { parameter, message, hint: 'Set ignoreEscapeChar: true.' };
  }
  if (settings.interpretQuotes && !/^[!-~]$/.test(quote)) {
    const message = 'quoteChar must be one visible ASCII character';
    yield { parameter: 'quoteChar', message, hint: 'Without quotes set interpretQuotes: false.' };
  } else if (quote === '\\' && escapes) {
    const message = 'quoteChar cannot be the escape character';
    yield { parameter: 'quoteChar', message, hint: 'Set ignoreEscapeChar: true.' };
  }
  if (comment === '') return;
  const usual = isAutoSeparator(settings) ? ',;\t|' : separator;
  const conflict = [...comment].find((c) => c === quote || (c === '\\' && escapes) || usual.includes(c));
  if (/^\s|[\n\r\0]/.test(comment) || !comment.isWellFormed()) {
    yield {
      parameter: 'commentPrefix',
      message: 'commentPrefix cannot begin with a blank or contain a line end or NUL',
    };
  } else if (conflict !== undefined) {
    const message = `commentPrefix cannot contain ${JSON.stringify(conflict)}, which is part of the syntax of the rows`;
    yield { parameter: 'commentPrefix', message };
  }
}
