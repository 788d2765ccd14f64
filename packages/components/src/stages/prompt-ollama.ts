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
  type UpdateMode,
  UpdateModeParameter,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { HttpClient, requireStreamSuccess, requireSuccess } from '../http/http-client.ts';
import { NO_RETRY } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { readChatReply } from '../ollama/chat-reply.ts';
import { LifeSigns } from '../ollama/life-signs.ts';

const parameters = Type.Object({
  hostURL: Type.String(CONNECTS),
  modelName: Type.String(),
  systemPrompt: Type.Optional(Type.String()),
  timeout: Type.Optional(Type.Number({ default: 10, exclusiveMinimum: 0, ...capped('maxWaitSecs') })),
  fields: Type.Optional(Type.Array(Type.String())),
  requireJSON: Type.Optional(Type.Boolean({ default: false })),
  updateMode: UpdateModeParameter,
});

/** A server answers few at a time and lets the others wait. */
const IN_FLIGHT = 8;
const RESPONSE_FIELD = 'ollamaResponse';
const FENCE = '```';

/**
 * Asks a chat model of Ollama about each document, and writes its answer into the document.
 * <p>
 * The model gets the system prompt, which says what to do, and the document as JSON, or some of its fields. It is told to
 * answer in JSON. Each key of the object that it answers becomes a field: with the prompt 'Answer with {"topic":
 * "..."}' documents get the field topic. Lists and objects arrive as they are. A key that belongs to the engine, such as
 * id, fails the document. An object in a fence of Markdown is taken out of it.
 * <p>
 * An answer that is no JSON object goes as it is into the field ollamaResponse, or fails the document when requireJSON is
 * true.
 * <p>
 * Each document is asked about by itself: the model sees nothing of the ones before. Up to 8 are asked about at a time, and
 * documents keep their order. A busy server (429, 503) and lost connections are tried again for some seconds.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>hostURL (String, Required) : Where Ollama answers, as http://localhost:11434.</li>
 *   <li>modelName (String, Required) : The model, as llama3.2. The server must have it.</li>
 *   <li>systemPrompt (String, Optional) : What the model is to do. Without it the model sees the document alone.</li>
 *   <li>timeout (Number, Optional) : Seconds that the server may be silent: the document fails when nothing came for so long,
 *   neither for it nor for another that is being asked about. Loading a model takes a while at first. Defaults to 10.</li>
 *   <li>fields (List&lt;String&gt;, Optional) : The fields that the model gets, in this order; one that is missing is null.
 *   Defaults to the whole document.</li>
 *   <li>requireJSON (Boolean, Optional) : Whether an answer that is no JSON object fails the document. Defaults to
 *   false.</li>
 *   <li>updateMode (String, Optional) : What happens to a field that exists when the answer has it too: "overwrite",
 *   "append" or "skip". Defaults to "overwrite".</li>
 * </ul>
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
      const hint = 'As http://localhost:11434.';
      yield { parameter: 'hostURL', message: 'hostURL must be a URL of http or https', hint };
    }
    if (modelName.trim() === '') yield { parameter: 'modelName', message: 'modelName must not be empty' };
  }

  override readonly maxInFlight = IN_FLIGHT;
  #client: HttpClient | undefined;
  readonly #base = withoutEndSlashes(this.params.hostURL.trim());
  readonly #url = `${this.#base}/api/chat`;
  readonly #lifeSigns = new LifeSigns((this.params.timeout as number) * 1000);
  readonly #system =
    this.params.systemPrompt === undefined
      ? ''
      : `{"role":"system","content":${writeString(this.params.systemPrompt)}},`;

  override async reach(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const client = await HttpClient.open({ connections: 1, retry: NO_RETRY });
    try {
      const url = `${this.#base}/api/tags`;
      const answer = readJson(requireSuccess(await client.request({ url, signal })).body.toString());
      const models = answer instanceof Map ? answer.get('models') : undefined;
      const { modelName } = this.params;
      // Without a tag the latest one is meant.
      const names = [modelName, `${modelName}:latest`];
      const isThere = (model: Value) => model instanceof Map && names.includes(String(model.get('name')));
      if (!Array.isArray(models) || models.some(isThere)) return;
      const message = `${safeUrl(this.#base)} has no model ${modelName}`;
      report({ parameter: 'modelName', message, hint: `Get it there: ollama pull ${modelName}` });
    } finally {
      await client.close();
    }
  }

  override async start(): Promise<void> {
    // Silence is watched here, across all that is asked.
    this.#client = await HttpClient.open({ connections: IN_FLIGHT, answerTimeout: 0, idleTimeout: 0 });
  }

  override async process(document: Document): Promise<void> {
    const reply = await this.#ask(this.#describe(document));
    const answer = readAnswer(reply);
    if (answer !== undefined) {
      for (const [name, value] of answer) document.update(name, this.params.updateMode as UpdateMode, [value]);
    } else if (this.params.requireJSON === true) {
      throw new Error(`The model ${this.params.modelName} answered no JSON object: ${excerpt(reply)}`);
    } else document.set(RESPONSE_FIELD, reply);
  }

  override async stop(): Promise<void> {
    await this.#client?.close();
  }

  /** The document as the model gets it. */
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

/** The object that a reply holds; undefined when it is something else. */
function readAnswer(reply: string): JsonObject | undefined {
  try {
    const value = readJson(withoutFence(reply));
    return value instanceof Map ? value : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** What stands in a fence of Markdown, of JSON or of nothing in particular; other texts as they are. */
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
