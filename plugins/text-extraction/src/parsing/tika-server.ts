import { accessHint, HeadraceError, isTransient, messageOf, parseJson } from 'headrace/engine';
import {
  excerpt,
  HttpClient,
  HttpError,
  headerText,
  NO_RETRY,
  type RetryPolicy,
  requireSuccess,
  safeUrl,
} from 'headrace/http';
import { Extraction } from '../blocks/blocks.ts';
import type { MissingText, ParsedFile, ParseRequest } from './parse-message.ts';
import { ParseFailure } from './parse-threads.ts';

/** How long text may be, as JSON, in bytes. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
const SERVER_HINT =
  'Check tika.url, that the Tika server is running, its log and its memory. For large files, increase parseTimeout.';
const OTHER_SERVER_HINT =
  'tika.url must be the address of a Tika server of version 1.28 or later, such as http://localhost:9998: GET /version answers "Apache Tika" and the version. Check the host, the port and the path, and that no proxy or login page answers instead.';
const CONTENT = 'X-TIKA:content';
/** The media type of a file without bytes, as `detectType` says it. */
const NO_TYPE = 'application/octet-stream';
/** The metadata with the stack trace of a problem. The server returns them only if it is configured to. */
const EXCEPTIONS = ['X-TIKA:EXCEPTION:runtime', 'X-TIKA:EXCEPTION:container_exception'];
/** The most characters of an error page in a message. */
const MAX_EXCERPT = 200;

/**
 * The start of a Tika server takes 5 to 15 seconds. A file that takes too long is not sent again: the server still works
 * on it, and the next attempt would take as long.
 */
const RETRY: RetryPolicy = {
  retries: 6,
  initialDelay: 500,
  maxDelay: 5000,
  statuses: isTransient,
  timeouts: false,
};

/** Sends files to a Tika server. The text of Markdown comes as HTML, which is then read like any other page. */
export class TikaServer {
  readonly #url: string;
  readonly #client: HttpClient;
  readonly #readHtml: (request: ParseRequest) => Promise<ParsedFile>;

  private constructor(url: string, client: HttpClient, readHtml: (request: ParseRequest) => Promise<ParsedFile>) {
    this.#url = url;
    this.#client = client;
    this.#readHtml = readHtml;
  }

  static async open(
    url: string,
    timeout: number,
    readHtml: (request: ParseRequest) => Promise<ParsedFile>,
  ): Promise<TikaServer> {
    const limits = { answerTimeout: timeout, idleTimeout: timeout, maxBodyBytes: MOST_ANSWER_BYTES };
    return new TikaServer(url.replace(/\/+$/, ''), await HttpClient.open(limits), readHtml);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Checks that the server answers. Throws an `HttpError` if it does not. */
  async checkAccess(signal: AbortSignal): Promise<void> {
    await this.#version({ retry: NO_RETRY, signal });
  }

  /** Returns the URL and the version of the server. Throws `HR_STAGE_START` if it does not answer. */
  async identity(): Promise<string> {
    try {
      return `${this.#url} ${await this.#version({})}`;
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      const hint = accessHint(error);
      const message = `The Tika server does not answer: ${messageOf(error)}`;
      throw new HeadraceError('HR_STAGE_START', message, { cause: error, ...(hint === undefined ? {} : { hint }) });
    }
  }

  async #version(options: { retry?: RetryPolicy; signal?: AbortSignal }): Promise<string> {
    const url = `${this.#url}/version`;
    const { body } = requireSuccess(await this.#client.request({ url, ...options }));
    if (/tika/i.test(body.toString('utf8', 0, MAX_EXCERPT))) return body.toString('utf8').trim();
    const said = excerpt(body, MAX_EXCERPT) || 'nothing';
    throw new HeadraceError('HR_STAGE_START', `${safeUrl(url)} is not a Tika server: it answered ${said}`, {
      hint: OTHER_SERVER_HINT,
    });
  }

  /** Parses a file. Rejects with a `ParseFailure` if the server fails; a problem of the file is a part of the result. */
  async parse(request: ParseRequest): Promise<ParsedFile> {
    const { bytes, name, contentType, format, maxCharacters } = request;
    // The server refuses files without bytes as if they were damaged.
    if (bytes.length === 0) return answerOf('', [['Content-Type', [NO_TYPE]]]);
    const url = `${this.#url}/tika/${format === 'markdown' ? 'html' : 'text'}`;
    const headers = {
      accept: 'application/json',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(name === undefined ? {} : { 'content-disposition': dispositionOf(name) }),
    };
    const sent = this.#client.request({ method: 'PUT', url, headers, body: bytes, retry: RETRY });
    const answer = await sent.catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
      // The server has answered at the start: a hint for a wrong address would mislead.
      throw new ParseFailure(error.message, SERVER_HINT);
    });
    const { status, body } = answer;
    // Unprocessable: the file is damaged or encrypted. Unsupported: no parser knows the type.
    if (status === 422 || status === 415) {
      const problem = problemOf(body.toString('utf8'));
      const type = status === 415 ? [] : [[EXCEPTIONS[0] as string, [problem.message]] as const];
      return answerOf('', type, problem);
    }
    if (status === 204) return answerOf('', []);
    if (status !== 200) {
      const hint = status >= 500 || status === 429 ? SERVER_HINT : accessHint({ status });
      const said = excerpt(body, MAX_EXCERPT);
      throw new ParseFailure(`${safeUrl(url)} answered with status ${status}${said === '' ? '' : `: ${said}`}`, hint);
    }
    const { [CONTENT]: content = [''], ...metadata } = fieldsOf(body, headerText(answer.headers, 'content-type'), url);
    // The server writes an empty line for each of its metadata first.
    const written = content.join('\n').replace(/^\s*\n/, '');
    const text = format === 'markdown' ? await this.#markdownOf(request, written, metadata) : written;
    const exception = EXCEPTIONS.flatMap((name) => metadata[name] ?? [])[0];
    const problem = exception === undefined ? undefined : problemOf(exception);
    return answerOf(text.slice(0, maxCharacters), Object.entries(metadata), problem);
  }

  async #markdownOf(request: ParseRequest, html: string, metadata: Record<string, string[]>): Promise<string> {
    // The lines of a text file are in one paragraph. Its markup is escaped.
    const isText = metadata['Content-Type']?.[0]?.startsWith('text/plain') === true;
    const page = isText ? html.replace(/<body>.*$/s, (body) => body.replaceAll('\n', '<br>')) : html;
    const parsed = { ...request, bytes: Buffer.from(page), name: undefined, contentType: 'text/html; charset=utf-8' };
    return (await this.#readHtml(parsed)).text;
  }
}

/** Returns the content of a file, without characters that no text has, and with what is missing. */
function answerOf(text: string, metadata: ParsedFile['metadata'], problem?: ParsedFile['problem']): ParsedFile {
  const found = new Extraction(Number.POSITIVE_INFINITY, false);
  found.add({ kind: 'lines', text });
  for (const [name, values] of metadata) for (const value of values) found.describe(name, value);
  const type = found.metadata.get('Content-Type')?.[0] ?? NO_TYPE;
  const missing = found.hasText || problem !== undefined ? undefined : missingOf(found.metadata, type);
  if (missing !== undefined) found.notice(missing, type);
  if (problem !== undefined) found.notice('text.unreadable', problem.message);
  const [block] = found.blocks;
  return {
    text: block?.kind === 'lines' ? block.text : '',
    metadata: [...found.metadata],
    images: [],
    notices: found.notices,
    ...(problem === undefined ? {} : { problem }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Why the server found no text. It does not report the images of PDF files, which are nearly always the reason. */
function missingOf(metadata: Extraction['metadata'], type: string): MissingText {
  if (/^image\/|^application\/pdf\b/.test(type)) return 'text.onlyImages';
  const parsers = metadata.get('X-TIKA:Parsed-By') ?? [];
  return parsers.some((name) => name.endsWith('.EmptyParser')) ? 'text.unsupported' : 'text.empty';
}

/** Returns the problem of a file from the first line of a stack trace: the class of the exception and its message. */
function problemOf(trace: string): NonNullable<ParsedFile['problem']> {
  const line = trace.split('\n', 1)[0]?.trim() ?? '';
  if (/EncryptedDocumentException/.test(line)) return { kind: 'encrypted', message: 'it is encrypted' };
  const message = line.replace(/^([a-z]\w*\.)+\w+(Exception|Error): /, '');
  return {
    kind: 'damaged',
    message: message || 'the Tika server cannot read it: it is damaged or encrypted, as the log of the server says',
  };
}

/** Names are sent as RFC 5987 says. */
function dispositionOf(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
}

/** Returns the metadata of an answer: an object whose values are texts or lists of texts. */
function fieldsOf(body: Buffer, type: string | undefined, url: string): Record<string, string[]> {
  let json: unknown;
  try {
    json = parseJson(body.toString('utf8'));
  } catch {
    json = undefined;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    const message = `${safeUrl(url)} answered with ${type ?? 'no type'}, not with the JSON of a Tika server`;
    throw new ParseFailure(message, OTHER_SERVER_HINT);
  }
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(String)]),
  );
}
