import { HeadraceError, messageOf, reachHint } from 'headrace/engine';
import { HttpClient, HttpError, headerText, NO_RETRY, requireSuccess, safeUrl } from 'headrace/http';
import type { ParsedFile, ParseRequest } from './parse-message.ts';
import { ParseFailure } from './parse-threads.ts';

/** How long text may be, as JSON, in bytes. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
const SERVER_HINT =
  'Check tika.url, that the Tika server is running, its log and its memory. For large files, increase parseTimeout.';
const CONTENT = 'X-TIKA:content';

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
  async reach(signal: AbortSignal): Promise<void> {
    requireSuccess(await this.#client.request({ url: `${this.#url}/version`, retry: NO_RETRY, signal }));
  }

  /** Returns the URL and the version of the server. Throws `HR_STAGE_START` if it does not answer. */
  async identity(): Promise<string> {
    try {
      const { body } = requireSuccess(await this.#client.request({ url: `${this.#url}/version` }));
      return `${this.#url} ${body.toString('utf8')}`;
    } catch (error) {
      const hint = reachHint(error);
      const message = `The Tika server does not answer: ${messageOf(error)}`;
      throw new HeadraceError('HR_STAGE_START', message, { cause: error, ...(hint === undefined ? {} : { hint }) });
    }
  }

  /** Parses a file. Rejects with a `ParseFailure` if the server fails; a problem of the file is a part of the result. */
  async parse(request: ParseRequest): Promise<ParsedFile> {
    const { bytes, name, contentType, format, maxCharacters } = request;
    const url = `${this.#url}/tika/${format === 'markdown' ? 'html' : 'text'}`;
    const headers = {
      accept: 'application/json',
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(name === undefined ? {} : { 'content-disposition': dispositionOf(name) }),
    };
    const answer = await this.#client.request({ method: 'PUT', url, headers, body: bytes }).catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
      // The server has answered at the start: a hint for a wrong address would mislead.
      throw new ParseFailure(error.message, SERVER_HINT);
    });
    const { status, body } = answer;
    // Unprocessable: the file is damaged or encrypted. Unsupported: no parser knows the type.
    if (status === 422 || status === 415) {
      const reason = body.toString('utf8').split('\n', 1)[0]?.trim() || 'the Tika server cannot read it';
      const type = status === 415 ? [] : [['X-TIKA:EXCEPTION:runtime', [reason]] as const];
      return { text: '', metadata: type, images: [], problem: { kind: 'damaged', message: reason } };
    }
    if (status === 204) return { text: '', metadata: [], images: [] };
    if (status !== 200) {
      const hint = status >= 500 || status === 429 ? SERVER_HINT : reachHint({ status });
      throw new ParseFailure(`${safeUrl(url)} answered with status ${status}`, hint);
    }
    const { [CONTENT]: content = [''], ...metadata } = fieldsOf(body, headerText(answer.headers, 'content-type'), url);
    const written = content.join('\n');
    const text = format === 'markdown' ? await this.#markdownOf(request, written) : written;
    return { text: text.slice(0, maxCharacters), metadata: Object.entries(metadata), images: [] };
  }

  async #markdownOf(request: ParseRequest, html: string): Promise<string> {
    const page = { ...request, bytes: Buffer.from(html), name: undefined, contentType: 'text/html; charset=utf-8' };
    return (await this.#readHtml(page)).text;
  }
}

/** Names are sent as RFC 5987 says. */
function dispositionOf(name: string): string {
  return `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
}

/** Returns the metadata of an answer: an object whose values are texts or lists of texts. */
function fieldsOf(body: Buffer, type: string | undefined, url: string): Record<string, string[]> {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    json = undefined;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ParseFailure(`${safeUrl(url)} answered with ${type ?? 'no type'}, not with the JSON of a Tika server`);
  }
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, (Array.isArray(value) ? value : [value]).map(String)]),
  );
}
