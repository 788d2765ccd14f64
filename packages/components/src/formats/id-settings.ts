import { messageOf, type ParameterProblem } from '@headrace/engine';
import { compileIdFormat, type IdFormat, joinIds } from './id-format.ts';

/** Which fields make the id of a document, in the parameters of several formats. */
export interface IdSettings {
  /** Wins over `idFields`. */
  readonly idField?: string;
  readonly idFields?: readonly string[];
  readonly docIdFormat?: string;
}

/** The names of the id fields, in order; none when the id comes from elsewhere. */
export function idFieldsOf({ idField, idFields = [] }: IdSettings): readonly string[] {
  return idField === undefined ? idFields : [idField];
}

/** What makes the id of the values of the id fields, before the prefix. */
export function idFormatOf(settings: IdSettings): IdFormat {
  const count = idFieldsOf(settings).length;
  return settings.docIdFormat === undefined || count === 0 ? joinIds : compileIdFormat(settings.docIdFormat, count);
}

/** Mistakes in the id parameters. */
export function* checkIdSettings(settings: IdSettings): Generator<ParameterProblem> {
  if (settings.idField === '') yield { parameter: 'idField', message: 'idField must not be empty' };
  if (settings.docIdFormat === undefined) return;
  if (idFieldsOf(settings).length === 0) {
    yield {
      parameter: 'docIdFormat',
      message: 'docIdFormat has no effect without id fields',
      hint: 'Name the fields whose values it formats.',
      severity: 'warning',
    };
    return;
  }
  try {
    idFormatOf(settings);
  } catch (error) {
    yield {
      parameter: 'docIdFormat',
      message: `docIdFormat cannot be used: ${messageOf(error)}`,
      hint: 'Write %s for the value of an id field, %% for a percent sign.',
    };
  }
}
