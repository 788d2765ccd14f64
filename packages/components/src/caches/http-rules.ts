/** The headers of a response by name in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Returns whether a private cache may store a response and can use it again. */
export function isStorable(status: number, headers: ResponseHeaders, now: number): boolean {
  if (status !== 200 || cacheControl(headers).has('no-store') || (text(headers, 'vary') ?? '').includes('*'))
    return false;
  return freshUntil(headers, now) > now || Object.keys(validators(headers)).length > 0;
}

/**
 * Returns until when a response may be used without a request: by `max-age` and `Age`, or by `Expires` and `Date`.
 * Without them, a response is never fresh: guesses by `Last-Modified` are not made.
 */
export function freshUntil(headers: ResponseHeaders, now: number): number {
  const control = cacheControl(headers);
  if (control.has('no-cache')) return 0;
  const maxAge = control.get('max-age');
  const age = seconds(text(headers, 'age')) ?? 0;
  if (maxAge !== undefined) return now + ((seconds(maxAge) ?? 0) - age) * 1000;
  const expires = text(headers, 'expires');
  if (expires === undefined) return 0;
  const date = Date.parse(text(headers, 'date') ?? '');
  const lifetime = Date.parse(expires) - (Number.isNaN(date) ? now : date);
  // An invalid date, such as 0, means that the response has expired.
  return Number.isNaN(lifetime) ? 0 : now + lifetime - age * 1000;
}

/** Returns the headers of a request that asks whether a stored response is still valid. */
export function validators(headers: ResponseHeaders): Record<string, string> {
  const [tag, changed] = [text(headers, 'etag'), text(headers, 'last-modified')];
  return {
    ...(tag === undefined ? {} : { 'if-none-match': tag }),
    ...(changed === undefined ? {} : { 'if-modified-since': changed }),
  };
}

/** Returns the directives of `Cache-Control`, in lower case, with their values. */
function cacheControl(headers: ResponseHeaders): Map<string, string> {
  const directives = new Map<string, string>();
  for (const [, name = '', quoted, plain] of (text(headers, 'cache-control') ?? '').matchAll(
    /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,]*)))?/g,
  )) {
    // If a directive is repeated, the first one counts.
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), quoted ?? plain ?? '');
  }
  return directives;
}

function text(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}
