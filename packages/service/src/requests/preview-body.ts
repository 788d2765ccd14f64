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
        description: 'A config, as an object or as a HOCON text. Needs the role admin',
      }),
    ),
    configId: Type.Optional(Type.String({ description: 'Instead of `config`: the id or name of a config' })),
    secretsOf: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The id or name of the stored config whose secrets `config` shows as `******`. They are restored by the rules of `PUT /v1/config/{id}`; otherwise they stay `******`, with a warning',
      }),
    ),
    pipeline: Type.Optional(Type.String({ description: 'Default: the first pipeline' })),
    documents: Type.Optional(
      Type.Array(JsonDocument, { maxItems: MAX_DOCUMENTS, description: 'The documents; not together with `limit`' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DOCUMENTS,
        description: `How many documents to read from the connectors if documents is absent; default ${DEFAULT_LIMIT}`,
      }),
    ),
    trace: Type.Optional(Type.Boolean({ description: 'Show each document after each stage; also a query parameter' })),
  },
  { additionalProperties: false },
);

/** The schema for the OpenAPI document. It contains also the rules that `readPreviewBody` checks itself. */
export const DocumentedPreviewBody = {
  ...PreviewBodySchema,
  oneOf: [{ required: ['configId'] }, { required: ['config'] }],
  not: { anyOf: [{ required: ['documents', 'limit'] }, { required: ['configId', 'secretsOf'] }] },
};

const checkBody = bodyCheck(PreviewBodySchema);

/** The parsed body of a request for a preview. */
export interface PreviewBody {
  config: ConfigChoice;
  /** The stored config whose secrets replace the masks in the text of `config`. */
  secretsOf: string | undefined;
  /** Default: the first pipeline. */
  pipeline: string | undefined;
  /** The documents as JSON texts, to keep the kinds of numbers. If undefined, the connectors deliver the documents. */
  documents: string[] | undefined;
  limit: number;
  trace: boolean;
}

/** Parses the body of a request for a preview. Throws an `ApiError` if it is not valid. */
export function readPreviewBody(bytes: Uint8Array): PreviewBody {
  const exact = readExactBody(bytes, checkPreview);
  const { body } = exact;
  if (body.has('documents') && body.has('limit')) {
    throw new ApiError(
      'HR_REQUEST_INVALID',
      'The body: limit applies to documents of the connectors, not to given documents',
      {
        hint: 'Remove limit or documents.',
      },
    );
  }
  if (body.has('configId') && body.has('secretsOf')) {
    throw new ApiError('HR_REQUEST_INVALID', 'The body: secretsOf applies to config, not to configId', {
      hint: 'Remove secretsOf: a stored config is previewed with its secrets.',
    });
  }
  return {
    config: configChoice(exact),
    secretsOf: body.get('secretsOf') as string | undefined,
    pipeline: body.get('pipeline') as string | undefined,
    documents: (body.get('documents') as JsonObject[] | undefined)?.map(writeValue),
    limit: (body.get('limit') as number | undefined) ?? DEFAULT_LIMIT,
    trace: body.get('trace') === true,
  };
}

function checkPreview(value: unknown): void {
  // Check the number before the schema, which would check each of the documents.
  const documents = (value as { documents?: unknown } | null)?.documents;
  if (Array.isArray(documents) && documents.length > MAX_DOCUMENTS) {
    throw new ApiError('HR_REQUEST_INVALID', `The body: documents must not have more than ${MAX_DOCUMENTS} items`);
  }
  checkBody(value);
}
