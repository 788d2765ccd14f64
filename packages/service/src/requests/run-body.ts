import { type JsonObject, Type, writeValue } from '@headrace/engine';
import { OVERLAPS, type Overlap } from '../api/overlap.ts';
import { Labels } from '../api/run-details.ts';
import { ApiError } from '../errors/api-error.ts';
import { type ConfigChoice, configChoice } from './config-choice.ts';
import { readExactBody } from './exact-body.ts';
import { bodyCheck } from './request-validation.ts';

const JsonConfig = Type.Record(Type.String(), Type.Unknown());

/** The maximum length of the overrides, because they are stored with the run and shown in its details. */
const MAX_OVERRIDES_LENGTH = 64 * 1024;

/** The body of a request for a run. */
export const RunBodySchema = Type.Object(
  {
    configId: Type.Optional(
      Type.String({ pattern: '\\S', description: 'The id or name of a config, or the name of a preset' }),
    ),
    config: Type.Optional(
      Type.Union([JsonConfig, Type.String()], {
        description:
          'Instead of `configId`: a config, as an object or as a HOCON text. It is not stored. Needs the role admin',
      }),
    ),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Values by path, set in the config before it is resolved, so that substitutions see them. They replace numbers, texts and lists, and are merged with objects. A number in a path selects an element of a list: `connectors.0.path`. Problems in them have `overrides` as `file`, and the number of the override as `line`. Presets accept none. Needs the role admin',
      }),
    ),
    overlap: Type.Optional(
      Type.Enum([...OVERLAPS], {
        description:
          'If another run of the config is active: `allow` runs both at the same time, `refuse` answers 400 with the id of the other run, `queue` waits until the earlier runs have ended, while runs of other configs may start. Default: `runs.overlap` of the service file. With `preventConcurrentRuns`, every request refuses except one with `queue`',
      }),
    ),
    labels: Type.Optional(Labels),
  },
  { description: 'Requires `configId` or `config`. Other properties are ignored' },
);

/** The schema for the OpenAPI document. It contains also the rules that `readRunBody` checks itself. */
export const DocumentedRunBody = { ...RunBodySchema, oneOf: [{ required: ['configId'] }, { required: ['config'] }] };

const checkBody = bodyCheck(RunBodySchema);

/** The parsed body of a request for a run. */
export interface RunBody {
  config: ConfigChoice;
  /** A JSON object: values by path that replace values of the config. */
  overrides: string | undefined;
  /** Undefined: use the setting of the service file. */
  overlap: Overlap | undefined;
  labels: Record<string, string>;
}

/** Parses the body of a request for a run. Throws an `ApiError` if it is not valid. */
export function readRunBody(bytes: Uint8Array): RunBody {
  const exact = readExactBody(bytes, checkBody);
  const { body } = exact;
  return {
    config: configChoice(exact),
    overrides: overridesOf(body),
    overlap: body.get('overlap') as Overlap | undefined,
    labels: Object.fromEntries((body.get('labels') as Map<string, string> | undefined) ?? []),
  };
}

/** Returns the overrides in a body as JSON, or undefined if there are none. */
export function overridesOf(body: JsonObject): string | undefined {
  const overrides = body.get('overrides') as JsonObject | undefined;
  if (overrides === undefined || overrides.size === 0) return undefined;
  const text = writeValue(overrides);
  if (text.length <= MAX_OVERRIDES_LENGTH) return text;
  throw new ApiError('HR_REQUEST_INVALID', `overrides has more than ${MAX_OVERRIDES_LENGTH} characters`, {
    hint: 'Send the whole config instead, as `config`.',
  });
}
