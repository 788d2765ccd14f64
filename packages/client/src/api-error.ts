import type { Schemas } from './api.generated.ts';

/** A refusal of the service: everything that is not a success. Its `message` and `hint` are for people, `code` is for programs. */
export class ApiError extends Error {
  readonly status: number;
  /** `HR_…`; docs/errors.md explains each. */
  readonly code: string;
  /** What to do. */
  readonly hint: string | undefined;
  /** What is wrong with a config, where that is the reason. */
  readonly problems: readonly Schemas['Problem'][];
  /** The whole answer. */
  readonly body: unknown;
  /** Seconds after which to try again, where the service says so. */
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

/** A proxy on the way may answer something else than the service does. */
function parse(text: string): Partial<Schemas['Error']> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return { message: text.slice(0, 500) };
  }
}
