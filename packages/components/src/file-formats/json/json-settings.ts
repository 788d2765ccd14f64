import { messageOf, OneOf, type ParameterProblem, type Static, type TObject, Type } from '@headrace/engine';
import { checkEncoding, encodingParameters } from '../encoding/encoding-settings.ts';
import { checkIdSettings, type IdSettings, idFieldsOf } from '../id-settings.ts';
import { stepsOf } from './records-path.ts';

/** The parameters for the records of JSON files that the connector and the file handler have. */
export const jsonRecordParameters = {
  /**
   * Where the records are, if they are inside an object: a JSON path of names, indexes and [*], such as $.features[*] or
   * $.data.items[*]. The last [*] may be omitted. The file may have any size.
   */
  recordsPath: Type.Optional(Type.String()),
  /**
   * What happens to NaN, Infinity and -Infinity, which JSON does not have: "fail" fails the record, "null" makes them
   * null, and counts them.
   */
  nonFinite: OneOf(['fail', 'null'], { default: 'fail' }),
};

/** The parameters of a file handler for JSON, except those of the id. */
export const jsonParameters = {
  /** The names of the top-level fields to keep. If the list is empty, all fields are kept. */
  whitelist: Type.Array(Type.String(), { default: [] }),
  /** The names of the top-level fields to omit. */
  blacklist: Type.Array(Type.String(), { default: [] }),
  ...jsonRecordParameters,
  ...encodingParameters,
};

/** The settings for reading JSON. They are plain data, so they can be sent to other threads. */
export type JsonSettings = Static<TObject<typeof jsonParameters>> & IdSettings;

/** Returns whether a field with this name is kept. */
export function keepsField({ whitelist, blacklist }: JsonSettings, name: string): boolean {
  return (whitelist.length === 0 || whitelist.includes(name)) && !blacklist.includes(name);
}

/** Reports problems that the schema cannot express, such as an id field that is omitted. */
export function* checkJsonSettings(settings: JsonSettings): Generator<ParameterProblem> {
  yield* checkIdSettings(settings);
  yield* checkEncoding(settings, 'standard');
  if (settings.recordsPath !== undefined) {
    try {
      stepsOf(settings.recordsPath);
    } catch (error) {
      yield {
        parameter: 'recordsPath',
        message: `recordsPath cannot be used: ${messageOf(error)}`,
        hint: 'Write a path such as $.features[*] or $.data.items[*].',
      };
    }
  }
  const idFields = idFieldsOf(settings);
  for (const name of idFields.length === 0 ? ['id'] : idFields) {
    if (keepsField(settings, name)) continue;
    const listed = settings.blacklist.includes(name);
    const parameter = listed ? 'blacklist' : 'whitelist';
    yield {
      parameter,
      message: `${parameter} omits "${name}", which is needed for the id`,
      hint: listed ? 'Remove it from the list.' : 'Add it to the list.',
    };
  }
}
