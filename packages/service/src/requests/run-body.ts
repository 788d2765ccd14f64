import { type JsonObject, Type, writeValue } from '@headrace/engine';
import { OVERLAPS, type Overlap } from '../api/overlap.ts';
import { Labels } from '../api/run-details.ts';
import { ApiError } from '../errors/api-error.ts';
import { type ConfigChoice, configChoice } from './config-choice.ts';
import { readExactBody } from './exact-body.ts';
import { bodyCheck } from './request-validation.ts';

const JsonConfig = Type.Record(Type.String(), Type.Unknown());

/** Values that are laid over a config are kept with the run and told with it. */
const MAX_OVERRIDES_LENGTH = 64 * 1024;

/** The body of a request for a run. */
export const RunBodySchema = Type.Object(
  {
    configId: Type.Optional(
      Type.String({ pattern: '\\S', description: 'The id or name of a config, or the name of a preset' }),
    ),
    config: Type.Optional(
      Type.Union([JsonConfig, Type.String()], {
        description: 'Instead of `configId`: a config, as an object or as a text of HOCON. For administrators',
      }),
    ),
    overrides: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Values by path, laid over the config before it is resolved. For administrators',
      }),
    ),
    overlap: Type.Optional(
      Type.Enum([...OVERLAPS], { description: 'What happens when another run of the config waits or goes on' }),
    ),
    labels: Type.Optional(Labels),
  },
  { description: 'Needs `configId` or `config`. Other properties are ignored' },
);

/** The same for the OpenAPI document, which says what `readRunBody` says in a refusal. */
export const DocumentedRunBody = { ...RunBodySchema, oneOf: [{ required: ['configId'] }, { required: ['config'] }] };

const checkBody = bodyCheck(RunBodySchema);

/** The body of a request for a run, read. */
export interface RunBody {
  config: ConfigChoice;
  /** A JSON object: values by path that replace values of the config. */
  overrides: string | undefined;
  /** Undefined: as the service file says. */
  overlap: Overlap | undefined;
  labels: Record<string, string>;
}

/** Reads the body of a request for a run. Throws an `ApiError`. */
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

function overridesOf(body: JsonObject): string | undefined {
  const overrides = body.get('overrides') as JsonObject | undefined;
  if (overrides === undefined || overrides.size === 0) return undefined;
  const text = writeValue(overrides);
  if (text.length <= MAX_OVERRIDES_LENGTH) return text;
  throw new ApiError('HR_REQUEST_INVALID', `overrides has more than ${MAX_OVERRIDES_LENGTH} characters`, {
    hint: 'Send the whole config instead, as `config`.',
  });
}
