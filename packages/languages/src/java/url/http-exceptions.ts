/** A failed HTTP request. */
export interface FailedRequest {
  /** The kind of failure: one of the names below, or any other. */
  readonly failure: string;
  readonly message: string;
  /** The requested URL, or undefined if the text is not a URL. */
  readonly url: string | undefined;
  /** The error of the socket, if any. */
  readonly cause?: unknown;
}

/**
 * Returns the failure of a request as the Java client reports it: the exception and its message. Documents store such
 * texts, and conditions test them. A failure without a known text becomes an `IOException` with a message of Headrace.
 */
export function javaHttpException(error: FailedRequest): string {
  if (error.failure === 'url') return `java.net.MalformedURLException ${error.message}`;
  // The message of the reference is only "null".
  if (error.failure === 'redirect') return `org.apache.http.client.ClientProtocolException null: ${error.message}`;
  if (error.url === undefined) return `java.io.IOException ${error.message}`;
  const { hostname, port, protocol } = new URL(error.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  const connect = `Connect to ${target} [${addresses(error.cause, host)}] failed`;
  switch (error.failure) {
    case 'unknown-host':
      return `java.net.UnknownHostException ${host}: ${
        causeCode(error.cause) === 'EAI_AGAIN' ? 'Temporary failure in name resolution' : 'Name or service not known'
      }`;
    case 'refused':
      return `org.apache.http.conn.HttpHostConnectException ${connect}: Connection refused`;
    case 'connect-timeout':
      return `org.apache.http.conn.ConnectTimeoutException ${connect}: Connect timed out`;
    case 'answer-timeout':
      return 'java.net.SocketTimeoutException Read timed out';
    case 'closed':
      return causeCode(error.cause) === 'ECONNRESET'
        ? 'java.net.SocketException Connection reset'
        : `org.apache.http.NoHttpResponseException ${target} failed to respond`;
    case 'certificate':
      return `javax.net.ssl.SSLHandshakeException ${error.message}`;
    default:
      return `java.io.IOException ${error.message}`;
  }
}

/** Returns the addresses that were tried, as Java prints them: `host/1.2.3.4`, version 4 first. */
function addresses(cause: unknown, host: string): string {
  const errors = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
  const tried = errors.flatMap((error) => (error as { address?: string } | undefined)?.address ?? []);
  const ordered = [...tried.filter((address) => !isIPv6(address)), ...tried.filter((address) => isIPv6(address))];
  const name = ordered.includes(host) ? '' : host;
  return ordered.map((address) => `${name}/${isIPv6(address) ? fullForm(address) : address}`).join(', ');
}

function isIPv6(address: string): boolean {
  return address.includes(':');
}

/** Returns an address of version 6 with all its groups, without leading zeros. */
function fullForm(address: string): string {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].join(':');
}

function causeCode(cause: unknown): string | undefined {
  return (cause as { code?: string } | undefined)?.code;
}
