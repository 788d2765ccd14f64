import { type JsonObject, Type, writeValue } from '@headrace/engine';
import { JsonDocument } from '../api/preview-answer.ts';
import { ApiError } from '../errors/api-error.ts';
import { type ConfigChoice, configChoice } from './config-choice.ts';
import { readExactBody } from './exact-body.ts';
import { bodyCheck } from './request-validation.ts';

const MAX_DOCUMENTS = 1000;
const DEFAULT_LIMIT = 10;

/** The body of a request for a preview. */
export const PreviewBodySchema = Type.Object(
  {
    config: Type.Optional(
      Type.Union([JsonDocument, Type.String()], {
        description: 'A config, as an object or as a text of HOCON. For administrators',
      }),
    ),
    configId: Type.Optional(Type.String({ description: 'Instead of `config`' })),
    pipeline: Type.Optional(Type.String({ description: 'The first one when absent' })),
    documents: Type.Optional(Type.Array(JsonDocument, { maxItems: MAX_DOCUMENTS })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DOCUMENTS,
        description: `Without documents: how many of those that the connectors give; ${DEFAULT_LIMIT}`,
      }),
    ),
    trace: Type.Optional(
      Type.Boolean({ description: 'Show each document after each stage; also a parameter of the query' }),
    ),
  },
  { additionalProperties: false },
);

/** The same for the OpenAPI document, which says what `readPreviewBody` says in a refusal. */
export const DocumentedPreviewBody = {
  ...PreviewBodySchema,
  oneOf: [{ required: ['configId'] }, { required: ['config'] }],
  not: { required: ['documents', 'limit'] },
};

const checkBody = bodyCheck(PreviewBodySchema);

/** The body of a request for a preview, read. */
export interface PreviewBody {
  config: ConfigChoice;
  /** The first one when absent. */
  pipeline: string | undefined;
  /** As JSON, with the kinds of their numbers; undefined: those that the connectors give. */
  documents: string[] | undefined;
  limit: number;
  trace: boolean;
}

/** Reads the body of a request for a preview. Throws an `ApiError`. */
export function readPreviewBody(bytes: Uint8Array): PreviewBody {
  const exact = readExactBody(bytes, checkPreview);
  const { body } = exact;
  if (body.has('documents') && body.has('limit')) {
    throw new ApiError(
      'HR_REQUEST_INVALID',
      'The body: limit is for the documents of the connectors, and not for these',
      {
        hint: 'Leave out limit or documents.',
      },
    );
  }
  return {
    config: configChoice(exact),
    pipeline: body.get('pipeline') as string | undefined,
    documents: (body.get('documents') as JsonObject[] | undefined)?.map(writeValue),
    limit: (body.get('limit') as number | undefined) ?? DEFAULT_LIMIT,
    trace: body.get('trace') === true,
  };
}

function checkPreview(value: unknown): void {
  // The schema would be asked for the mistakes of each of them.
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (Array.isArray(documents) && documents.length > MAX_DOCUMENTS) {
    throw new ApiError('HR_REQUEST_INVALID', `The body: documents must not have more than ${MAX_DOCUMENTS} items`);
  }
  checkBody(value);
}
