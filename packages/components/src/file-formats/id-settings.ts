import { messageOf, type ParameterProblem } from '@headrace/engine';
import { compileTextFormat, type TextFormat } from '@headrace/languages/java/text';

/** The fields that form the id of a document. Several formats have these parameters. */
export interface IdSettings {
  /** Overrides `idFields`. */
  readonly idField?: string;
  readonly idFields?: readonly string[];
  readonly docIdFormat?: string;
}

/** Returns the names of the id fields in order. The list is empty if the id comes from another source. */
export function idFieldsOf({ idField, idFields = [] }: IdSettings): readonly string[] {
  return idField === undefined ? idFields : [idField];
}

const joined: TextFormat = (values) => values.join('_');

/** Returns the function that builds the id from the values of the id fields, without the prefix. */
export function idFormatOf(settings: IdSettings): TextFormat {
  const count = idFieldsOf(settings).length;
  return settings.docIdFormat === undefined || count === 0 ? joined : compileTextFormat(settings.docIdFormat, count);
}

/** Reports problems in the id parameters. */
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
