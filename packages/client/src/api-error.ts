import type { Schemas } from './api.generated.ts';

/** An error that the service answered. `message` and `hint` are for people, `code` is for programs. */
export class ApiError extends Error {
  readonly status: number;
  /**
   * The error code `HR_…`, explained in docs/errors.md. `HTTP_ERROR` if the answer has no code, for example from a
   * proxy.
   */
  readonly code: string;
  /** The advice for the user. */
  readonly hint: string | undefined;
  /** The problems of the config, if they are the reason. Otherwise empty. */
  readonly problems: readonly Schemas['Problem'][];
  /** The parsed body of the answer. */
  readonly body: unknown;
  /** The seconds to wait before the next try, if the service reports them. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, text: string) {
    const body = parse(text);
    const { message, code, hint, problems } = body;
    super(message ?? `The service answered ${response.status}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code ?? 'HTTP_ERROR';
    this.hint = hint;
    this.problems = problems ?? [];
    this.body = body;
    const seconds = response.headers.get('retry-after');
    this.retryAfter = seconds === null ? undefined : Number(seconds);
  }
}

/** Parses the body of an error answer. A proxy may answer with text that is not JSON; its start becomes the message. */
function parse(text: string): Partial<Schemas['Error']> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return { message: text.slice(0, 500) };
  }
}
