import { type ParameterProblem, RESERVED_FIELDS, type Static, type TObject, Type } from '@headrace/engine';
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
  /** The character between cells. Of a longer text, only the first character is used. */
  separatorChar: Type.String({ default: ',' }),
  /** Whether tabs separate cells. It overrides separatorChar. */
  useTabs: Type.Boolean({ default: false }),
  /** Whether double quotes enclose cells; otherwise they are ordinary characters. */
  interpretQuotes: Type.Boolean({ default: true }),
  /** Whether a backslash is an ordinary character. Set it for files with Windows paths. */
  ignoreEscapeChar: Type.Boolean({ default: false }),
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

/** Returns the CSV syntax of the settings. */
export function dialectOf(settings: CsvSettings): CsvDialect {
  return {
    separator: settings.useTabs ? '\t' : settings.separatorChar.charAt(0),
    quotes: settings.interpretQuotes,
    escapes: !settings.ignoreEscapeChar,
  };
}

/** Reports problems that the schema cannot express. */
export function* checkCsvSettings(settings: CsvSettings): Generator<ParameterProblem> {
  yield* checkIdSettings(settings);
  yield* checkEncoding(settings, 'standard');
  const { separator, quotes, escapes } = dialectOf(settings);
  const parameter = 'separatorChar';
  if (separator === '') {
    yield { parameter, message: 'separatorChar must not be empty', hint: 'For tabs set useTabs: true.' };
  } else if (separator === '\n' || separator === '\r' || separator === '\0') {
    yield { parameter, message: 'separatorChar cannot be a line end or the character NUL' };
  } else if (/[\ud800-\udfff]/.test(separator)) {
    yield { parameter, message: 'separatorChar must be a character of the basic multilingual plane' };
  } else if (separator === '"' && quotes) {
    yield { parameter, message: 'separatorChar cannot be the quote', hint: 'Set interpretQuotes: false.' };
  } else if (separator === '\\' && escapes) {
    yield { parameter, message: 'separatorChar cannot be the escape character', hint: 'Set ignoreEscapeChar: true.' };
  }
  for (const name of ['lineNumberField', 'filenameField', 'filePathField'] as const) {
    const field = settings[name];
    if (field === '') yield { parameter: name, message: `${name} must not be empty` };
    else if (RESERVED_FIELDS.has(field)) {
      yield { parameter: name, message: `${name} cannot be "${field}", which is a reserved field` };
    }
  }
}
