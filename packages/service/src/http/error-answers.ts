import { STATUS_CODES } from 'node:http';
import { type Problem, Type } from '@headrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_ID_LENGTH } from '../configs/config-name.ts';
import { ApiError } from '../errors/api-error.ts';
import { SERVICE_ERROR_CODES, type ServiceErrorCode } from '../errors/service-error-codes.ts';
import { StoreError } from '../store/store.ts';
import { sendJson } from './json.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The setting of the service file that limits the body, if there is one. */
    bodyLimitSetting?: string;
  }
}

/** The schema of the readiness checks in an answer. */
export const CheckList = Type.Array(
  Type.Object({ name: Type.String(), ok: Type.Boolean(), message: Type.Optional(Type.String()) }),
);

/** The schema of all error answers. */
export const ErrorAnswer = Type.Object(
  {
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    error: Type.String({ description: 'The name of the status' }),
    message: Type.String({ description: 'For people; it may change' }),
    code: Type.String({ description: 'For programs; it never changes' }),
    hint: Type.Optional(Type.String({ description: 'What to do' })),
    problems: Type.Optional(Type.Array(Type.Ref('Problem'), { description: 'If a config is the reason' })),
    checks: Type.Optional(CheckList),
    requestId: Type.String({ description: 'The id of the request, also in the log' }),
  },
  { $id: 'Error', description: 'The form of all errors' },
);

/** The content of an error answer. */
export interface ErrorBody {
  status: number;
  message: string;
  code: string;
  hint?: string | undefined;
  problems?: readonly Problem[] | undefined;
  checks?: readonly { name: string; ok: boolean; message?: string }[] | undefined;
}

/** Returns the body of an error answer as JSON. */
export function errorJson(body: ErrorBody, requestId: string): string {
  const { status, message, code, hint, problems, checks } = body;
  const error = STATUS_CODES[status] ?? 'Error';
  return JSON.stringify({ status, error, message, code, hint, problems, checks, requestId });
}

/** Answers a request with the error that was thrown. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const body = toErrorBody(error, request);
  if (error instanceof ApiError) void reply.headers(error.headers);
  if (body.status >= 500 && !(error instanceof ApiError)) request.log.error(error, body.message);
  sendJson(reply.code(body.status), errorJson(body, request.id));
}

/** The codes of errors of fastify, with the codes of the service that have the same meaning. */
const FRAMEWORK_CODES: Readonly<Record<string, ServiceErrorCode>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: 'HR_REQUEST_EMPTY_BODY',
};

function toErrorBody(error: unknown, request: FastifyRequest): ErrorBody {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError) return refused('HR_STORE_UNAVAILABLE', error.message);
  if (error instanceof Error && 'code' in error && 'statusCode' in error) {
    const { code, statusCode, message } = error as Error & { code: string; statusCode: number };
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(request);
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(request);
    if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
      return refused('HR_REQUEST_URL_TOO_LONG', `A part of the path has more than ${MAX_ID_LENGTH} characters`);
    }
    const known = FRAMEWORK_CODES[code];
    if (known !== undefined) return refused(known, message);
    if (statusCode >= 400 && statusCode < 500) return { status: statusCode, code: 'HR_REQUEST_INVALID', message };
  }
  return refused('HR_SERVER_ERROR', 'The service failed on this request; its log contains the reason');
}

/** The content types that at least one endpoint accepts. */
const MEDIA_TYPES = ['application/json', 'application/hocon', 'application/octet-stream'];

function wrongMediaType({ server, headers }: FastifyRequest): ApiError {
  const taken = MEDIA_TYPES.filter((type) => server.hasContentTypeParser(type)).join(' or ');
  const given = headers['content-type']?.split(';', 1)[0]?.trim() ?? '';
  const not = given === '' ? '; the request does not say what it is' : `, not ${given}`;
  return new ApiError('HR_REQUEST_MEDIA_TYPE', `The body must be ${taken}${not}`, {
    hint: `Send the header Content-Type: ${taken}.`,
  });
}

function tooLarge({ routeOptions: { bodyLimit, config } }: FastifyRequest): ApiError {
  const { bodyLimitSetting: setting } = config;
  return new ApiError('HR_REQUEST_TOO_LARGE', `The body is larger than ${bodyLimit} bytes`, {
    hint: setting === undefined ? 'Send a smaller body.' : `${setting} in the service file sets this limit.`,
  });
}

function refused(code: ServiceErrorCode, message: string): ErrorBody {
  return { status: SERVICE_ERROR_CODES[code].status, code, message };
}
