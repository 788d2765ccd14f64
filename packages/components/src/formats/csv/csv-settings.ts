import { type ParameterProblem, RESERVED_FIELDS, Type } from '@headrace/engine';
import { checkIdSettings, type IdSettings } from '../id-settings.ts';
import type { CsvDialect } from './csv-dialect.ts';

/** The parameters that say how CSV becomes documents, except those of the id. */
export const csvParameters = {
  separatorChar: Type.Optional(Type.String({ default: ',' })),
  useTabs: Type.Optional(Type.Boolean({ default: false })),
  interpretQuotes: Type.Optional(Type.Boolean({ default: true })),
  ignoreEscapeChar: Type.Optional(Type.Boolean({ default: false })),
  lowercaseFields: Type.Optional(Type.Boolean({ default: false })),
  ignoredTerms: Type.Optional(Type.Array(Type.String(), { default: [] })),
  lineNumberField: Type.Optional(Type.String({ default: 'csvLineNumber' })),
  filenameField: Type.Optional(Type.String({ default: 'filename' })),
  filePathField: Type.Optional(Type.String({ default: 'source' })),
};

/** How CSV becomes documents. Plain data: it crosses threads. */
export interface CsvSettings extends IdSettings {
  readonly separatorChar?: string;
  readonly useTabs?: boolean;
  readonly interpretQuotes?: boolean;
  readonly ignoreEscapeChar?: boolean;
  readonly lowercaseFields?: boolean;
  readonly ignoredTerms?: readonly string[];
  readonly lineNumberField?: string;
  readonly filenameField?: string;
  readonly filePathField?: string;
}

/** The syntax that the settings ask for. */
export function dialectOf(settings: CsvSettings): CsvDialect {
  return {
    separator: settings.useTabs === true ? '\t' : (settings.separatorChar ?? ',').charAt(0),
    quotes: settings.interpretQuotes ?? true,
    escapes: settings.ignoreEscapeChar !== true,
  };
}

/** Mistakes in the settings that their schema cannot express. */
export function* checkCsvSettings(settings: CsvSettings): Generator<ParameterProblem> {
  yield* checkIdSettings(settings);
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
    else if (field !== undefined && RESERVED_FIELDS.has(field)) {
      yield { parameter: name, message: `${name} cannot be "${field}", which is a reserved field` };
    }
  }
}
