import { type ParameterProblem, Type } from '@headrace/engine';
import { checkEncoding, type EncodingSettings, encodingParameters } from '../encoding/encoding-settings.ts';
import { checkIdSettings, type IdSettings, idFieldsOf } from '../id-settings.ts';

/** The parameters of a file handler for JSON, except those of the id. */
export const jsonParameters = {
  whitelist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  blacklist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  ...encodingParameters,
};

/** The settings for reading JSON. They are plain data, so they can be sent to other threads. */
export interface JsonSettings extends IdSettings, EncodingSettings {
  /** The names of the top-level fields to keep. If the list is empty or missing, all fields are kept. */
  readonly whitelist?: readonly string[];
  /** The names of the top-level fields to omit. */
  readonly blacklist?: readonly string[];
}

/** Returns whether a field with this name is kept. */
export function keepsField({ whitelist = [], blacklist = [] }: JsonSettings, name: string): boolean {
  return (whitelist.length === 0 || whitelist.includes(name)) && !blacklist.includes(name);
}

/** Reports problems that the schema cannot express, such as an id field that is omitted. */
export function* checkJsonSettings(settings: JsonSettings): Generator<ParameterProblem> {
  yield* checkIdSettings(settings);
  yield* checkEncoding(settings, 'standard');
  const idFields = idFieldsOf(settings);
  for (const name of idFields.length === 0 ? ['id'] : idFields) {
    if (keepsField(settings, name)) continue;
    const listed = settings.blacklist?.includes(name) === true;
    const parameter = listed ? 'blacklist' : 'whitelist';
    yield {
      parameter,
      message: `${parameter} omits "${name}", which is needed for the id`,
      hint: listed ? 'Remove it from the list.' : 'Add it to the list.',
    };
  }
}
