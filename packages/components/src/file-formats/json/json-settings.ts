import { type ParameterProblem, type Static, type TObject, Type } from '@headrace/engine';
import { checkEncoding, encodingParameters } from '../encoding/encoding-settings.ts';
import { checkIdSettings, type IdSettings, idFieldsOf } from '../id-settings.ts';

/** The parameters of a file handler for JSON, except those of the id. */
export const jsonParameters = {
  /** The names of the top-level fields to keep. If the list is empty, all fields are kept. */
  whitelist: Type.Array(Type.String(), { default: [] }),
  /** The names of the top-level fields to omit. */
  blacklist: Type.Array(Type.String(), { default: [] }),
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
