import {
  CONNECTS,
  capped,
  type Document,
  type JsonObject,
  JsonSyntaxError,
  type ParameterProblem,
  type ReportProblem,
  readJson,
  Stage,
  type Static,
  Type,
  UpdateModeParameter,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { HttpClient, requireStreamSuccess, requireSuccess } from '../http/http-client.ts';
import { NO_RETRY } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { waitLog } from '../http/wait-log.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { readChatReply } from '../ollama/chat-reply.ts';
import { LifeSigns } from '../ollama/life-signs.ts';

const parameters = Type.Object({
  /** The address of Ollama, such as http://localhost:11434. */
  hostURL: Type.String(CONNECTS),
  /** The model, such as llama3.2. The server must have it. */
  modelName: Type.String(),
  /** The instructions for the model. Without them the model sees only the document. */
  systemPrompt: Type.Optional(Type.String()),
  /**
   * The maximum time without data from the server, in seconds. The document fails if the server sent nothing for so
   * long, neither for this document nor for another one. Loading a model takes a while at first.
   */
  timeout: Type.Number({ default: 10, exclusiveMinimum: 0, ...capped('maxWaitSecs') }),
  /** The fields that the model gets, in this order. A missing field is null. Defaults to the whole document. */
  fields: Type.Optional(Type.Array(Type.String())),
  /** Whether an answer that is not a JSON object fails the document. */
  requireJSON: Type.Boolean({ default: false }),
  /** What happens to an existing field that the answer also has: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

/** The number of requests at a time. A server answers few of them and queues the others. */
const IN_FLIGHT = 8;
const RESPONSE_FIELD = 'ollamaResponse';
const FENCE = '```';

/**
 * Asks a chat model of Ollama about each document, and writes its answer into the document.
 *
 * The model gets the system prompt with the instructions, and the document or some of its fields as JSON. It is asked
 * to answer in JSON. Each key of the answered object becomes a field: with the prompt 'Answer with {"topic": "..."}'
 * documents get the field topic. Lists and objects do not change. A key that belongs to the engine, such as id, fails
 * the document. A Markdown fence around an object is removed.
 *
 * An answer that is not a JSON object is written to the field ollamaResponse, or fails the document if requireJSON is
 * true.
 *
 * Each document is a separate request: the model does not see earlier documents. Up to 8 requests run at a time, and
 * documents keep their order. After an overload (429, 503) or a lost connection, requests are tried again for some
 * seconds.
 */
export class PromptOllama extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Sort letters by what they are about',
      needs: 'An Ollama at http://localhost:11434 with the model llama3.2',
      params: {
        hostURL: 'http://localhost:11434',
        modelName: 'llama3.2',
        systemPrompt: 'What is this letter about? Answer with {"topic": "order" | "complaint" | "other"}.',
        fields: ['text'],
        requireJSON: true,
        timeout: 60,
      },
      documents: [{ id: '1', text: 'The parcel came broken.' }],
      output: [{ id: '1', text: 'The parcel came broken.', topic: 'complaint' }],
    },
  ];

  static override *check({ hostURL, modelName }: Static<typeof parameters>): Generator<ParameterProblem> {
    if (!/^https?:$/.test(URL.parse(hostURL)?.protocol ?? '')) {
      const hint = 'For example http://localhost:11434.';
      yield { parameter: 'hostURL', message: 'hostURL must be an http or https URL', hint };
    }
    if (modelName.trim() === '') yield { parameter: 'modelName', message: 'modelName must not be empty' };
  }

  override readonly maxInFlight = IN_FLIGHT;
  #client: HttpClient | undefined;
  readonly #base = withoutEndSlashes(this.params.hostURL.trim());
  readonly #url = `${this.#base}/api/chat`;
  readonly #lifeSigns = new LifeSigns(this.params.timeout * 1000);
  readonly #system =
    this.params.systemPrompt === undefined
      ? ''
      : `{"role":"system","content":${writeString(this.params.systemPrompt)}},`;

  override async checkAccess(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const client = await HttpClient.open({ connections: 1, retry: NO_RETRY });
    try {
      const url = `${this.#base}/api/tags`;
      const answer = readJson(requireSuccess(await client.request({ url, signal })).body.toString());
      const models = answer instanceof Map ? answer.get('models') : undefined;
      const { modelName } = this.params;
      // Ollama lists a model that has no tag in the config as `:latest`.
      const names = [modelName, `${modelName}:latest`];
      const isThere = (model: Value) => model instanceof Map && names.includes(String(model.get('name')));
      if (!Array.isArray(models) || models.some(isThere)) return;
      const message = `${safeUrl(this.#base)} has no model ${modelName}`;
      report({ parameter: 'modelName', message, hint: `Install it there: ollama pull ${modelName}` });
    } finally {
      await client.close();
    }
  }

  override async start(): Promise<void> {
    // The time-out counts across all requests, so this stage measures it instead of the client.
    this.#client = await HttpClient.open({
      connections: IN_FLIGHT,
      answerTimeout: 0,
      idleTimeout: 0,
      onWait: waitLog(this.context.log),
    });
  }

  override async process(document: Document): Promise<void> {
    const reply = await this.#ask(this.#describe(document));
    const answer = readAnswer(reply);
    if (answer !== undefined) {
      for (const [name, value] of answer) document.update(name, this.params.updateMode, [value]);
    } else if (this.params.requireJSON === true) {
      throw new Error(`The model ${this.params.modelName} answered without a JSON object: ${excerpt(reply)}`);
    } else document.set(RESPONSE_FIELD, reply);
  }

  override async stop(): Promise<void> {
    await this.#client?.close();
  }

  /** Returns the document in the form that the model gets. */
  #describe(document: Document): string {
    const { fields = [] } = this.params;
    if (fields.length === 0) return document.toJson();
    const members = fields.map((name) => `${writeString(name)}:${writeValue(document.get(name) ?? null)}`);
    return `{${members.join(',')}}`;
  }

  async #ask(content: string): Promise<string> {
    const { modelName, timeout } = this.params;
    const messages = `[${this.#system}{"role":"user","content":${writeString(content)}}]`;
    const watch = this.#lifeSigns.watch();
    try {
      const stream = await (this.#client as HttpClient).stream({
        method: 'POST',
        url: this.#url,
        headers: { 'content-type': 'application/json' },
        body: `{"model":${writeString(modelName)},"messages":${messages},"stream":true,"format":"json"}`,
        signal: watch.signal,
      });
      const { body } = await requireStreamSuccess(stream);
      return await readChatReply(body, () => this.#lifeSigns.note());
    } catch (error) {
      if (!watch.signal.aborted) throw error;
      throw new Error(`Ollama at ${safeUrl(this.#url)} sent nothing for ${timeout} s`);
    } finally {
      watch.end();
    }
  }
}

/** Returns the object in a reply, or undefined if the reply has none. */
function readAnswer(reply: string): JsonObject | undefined {
  try {
    const value = readJson(withoutFence(reply));
    return value instanceof Map ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Removes a Markdown fence for JSON or without a language. Returns other texts unchanged. */
function withoutFence(reply: string): string {
  const text = reply.trim();
  const lineEnd = text.indexOf('\n');
  if (lineEnd < 0 || !text.startsWith(FENCE) || !text.endsWith(FENCE)) return reply;
  const language = text.slice(FENCE.length, lineEnd).trim().toLowerCase();
  return language === '' || language === 'json' ? text.slice(lineEnd, -FENCE.length).trim() : reply;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
