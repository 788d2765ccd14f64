import { type ParameterProblem, Type } from '@headrace/engine';
import { checkEncoding, type EncodingSettings, encodingParameters } from '../encoding/encoding-settings.ts';
import { checkIdSettings, type IdSettings, idFieldsOf } from '../id-settings.ts';

/** The parameters of a file handler for JSON, except those of the id. */
export const jsonParameters = {
  whitelist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  blacklist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  ...encodingParameters,
};

/** How JSON becomes documents. Plain data: it crosses threads. */
export interface JsonSettings extends IdSettings, EncodingSettings {
  /** Names of the fields to keep, at the top; none given: all. */
  readonly whitelist?: readonly string[];
  /** Names of the fields to leave out, at the top. */
  readonly blacklist?: readonly string[];
}

/** Whether a field of this name is kept. */
export function keepsField({ whitelist = [], blacklist = [] }: JsonSettings, name: string): boolean {
  return (whitelist.length === 0 || whitelist.includes(name)) && !blacklist.includes(name);
}

/** Mistakes in the settings that their schema cannot express: an id that is filtered out. */
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
      message: `${parameter} leaves out "${name}", which makes the id`,
      hint: listed ? 'Take it off the list.' : 'Put it on the list.',
    };
  }
}
