import type { ErrorCode, Problem } from '@headrace/engine';
import { SERVICE_ERROR_CODES, type ServiceErrorCode } from './service-error-codes.ts';

interface ApiErrorDetails {
  hint?: string;
  problems?: readonly Problem[];
  headers?: Readonly<Record<string, string>>;
  /** A code of the engine, if it is more specific than the code of the service. */
  code?: ErrorCode;
  cause?: unknown;
}

/** An error that refuses a request. The service turns it into the answer, in the common format of all errors. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ServiceErrorCode | ErrorCode;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ServiceErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.status = SERVICE_ERROR_CODES[code].status;
    this.code = details.code ?? code;
    this.hint = details.hint;
    this.problems = details.problems;
    this.headers = details.headers ?? {};
  }
}
