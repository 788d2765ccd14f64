import {
  type Document,
  type JsonObject,
  type ParameterProblem,
  RESERVED_FIELDS,
  readJson,
  requiredBoundary,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
  writeValue,
} from '@headrace/engine';
import { ScriptProcess } from '@headrace/sandbox/process';
import { pyodideCommand } from '@headrace/sandbox/python';
import { DocumentHost } from '../scripts/document-host.ts';
import { pyodideFolder } from '../scripts/pyodide-folder.ts';
import { scriptError } from '../scripts/script-error.ts';
import { checkScriptSettings, readScript, scriptParameters } from '../scripts/script-source.ts';
import { withBytes } from '../scripts/with-bytes.ts';

const parameters = Type.Object(scriptParameters);

/** Loading Python into WebAssembly takes seconds, on a busy machine many. */
const MILLIS_TO_START = 10 * 60_000;

/** What a script of an untrusted config may use for one document. */
const MILLIS = 5000;
/** So much later, by the clock on the wall, the process is ended of what cannot be interrupted. */
const MILLIS_AT_MOST = 2 * 60_000;
const UNTRUSTED_BYTES = 256 * 1024 * 1024;
const TRUSTED_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Runs a script in Python on each document, in a Python of its own (Pyodide, CPython 3.14 in WebAssembly): none has to be
 * installed on the machine, but the npm package <code>pyodide</code> has to be. The script changes the document through
 * <code>doc</code>. There is the standard library and no other package, and no access to files, network, processes and
 * environment of the machine: what needs these, or is large, is for ExternalPython.
 * <p>
 * <code>doc</code> is a dict that can be used by attribute too: <code>doc.title</code> and <code>doc['title']</code> read
 * a field (a missing one raises AttributeError or KeyError; <code>getattr(doc, 'title', None)</code>,
 * <code>hasattr</code>, <code>doc.get('title')</code> and <code>'title' in doc</code> ask first),
 * <code>doc.title = …</code> writes it, <code>del doc.title</code> removes it. Null is None, bytes are a text in base64,
 * lists and objects are real lists and dicts, which may be changed in place, objects by attribute too. A field whose name
 * is that of a method is read by its brackets if it is <code>keys</code> or <code>items</code>; all others win over the
 * method. What is assigned is copied; tuples and sets become lists, dates the text of isoformat(), NaN a text, keys
 * texts. Writing a field of the engine (such as id) fails the document.
 * <p>
 * <code>rawDoc</code> has the methods of Lucille's documents, which ApplyJavascript lists; a mode is
 * <code>UpdateMode.OVERWRITE</code>, <code>APPEND</code> or <code>SKIP</code>. Each call costs a round trip between
 * processes: <code>doc</code> is faster.
 * <p>
 * Global variables keep their values from one document to the next, in each pipeline thread for itself. What the script
 * prints goes to the log. A script that is no Python fails the start; an error fails the document and names the line of
 * the script. Each pipeline thread has a process with its own Python, which takes some seconds to start and some 200 MB.
 * <p>
 * A document on which the script computes longer than <code>worker.maxProcessingSecs</code> (60 seconds) fails, and the
 * next ones go on. Scripts of configs that were uploaded to a service get 5 seconds for each document and 256 MiB of
 * memory; exhausting the memory makes the script begin anew. Where the policy of the service says
 * <code>scripts: sandbox</code> (as <code>strict</code> does), they run behind a boundary of the operating system, which
 * also holds the whole process to 512 MiB; on a machine that offers none the stage is refused.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>script (String, Optional) : The script itself. Either this or scriptPath is required.</li>
 *   <li>scriptPath (String, Optional) : The file that holds it: a local path, classpath:x (x in the working directory),
 *   or a URI of S3, Google Cloud or Azure, which needs the block s3, gcp or azure. Read when the pipeline starts.</li>
 *   <li>s3 (Map, Optional) : How to reach S3.</li>
 *   <li>s3.accessKeyId (String, Optional) : The id of the access key. Defaults to the credentials of the machine.</li>
 *   <li>s3.secretAccessKey (String, Optional) : The secret of the access key.</li>
 *   <li>s3.region (String, Optional) : The region of the bucket.</li>
 *   <li>s3.endpoint (String, Optional) : The address of a server that speaks the protocol of S3.</li>
 *   <li>s3.maxNumOfPages (Integer, Optional) : Has no effect here.</li>
 *   <li>s3.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>s3.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>s3.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>s3.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>s3.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>s3.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>azure (Map, Optional) : How to reach Azure Blob Storage.</li>
 *   <li>azure.connectionString (String, Optional) : The connection string of the account.</li>
 *   <li>azure.accountName (String, Optional) : The name of the account, with accountKey instead of a connection
 *   string.</li>
 *   <li>azure.accountKey (String, Optional) : The key of the account.</li>
 *   <li>azure.maxNumOfPages (Integer, Optional) : Has no effect here.</li>
 *   <li>azure.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>azure.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>azure.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>azure.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>azure.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>azure.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 *   <li>gcp (Map, Optional) : How to reach Google Cloud Storage.</li>
 *   <li>gcp.pathToServiceKey (String, Required) : The file of the service account's key.</li>
 *   <li>gcp.endpoint (String, Optional) : The address of a server that speaks the protocol.</li>
 *   <li>gcp.maxNumOfPages (Integer, Optional) : Has no effect here.</li>
 *   <li>gcp.tls (Config, Optional) : Certificates, in PEM files.</li>
 *   <li>gcp.tls.caFile (String, Optional) : Certificates of authorities to trust besides those of the system.</li>
 *   <li>gcp.tls.certificateFile (String, Optional) : Our certificate, for servers that ask for one.</li>
 *   <li>gcp.tls.keyFile (String, Optional) : Its key. Defaults to the file of the certificate.</li>
 *   <li>gcp.tls.keyPassphrase (String, Optional) : What the key is encrypted with.</li>
 *   <li>gcp.acceptInvalidCert (Boolean, Optional) : Whether any certificate of the server is accepted, for tests. Defaults to false.</li>
 * </ul>
 */
export class EmbeddedPython extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly scripts = 'boundary';

  static readonly examples = [
    {
      description: 'A field computed from others, a list changed in place, and a count over the documents',
      params: {
        script: `from collections import Counter

words = doc.title.lower().split()
doc.words = {word: n for word, n in Counter(words).items() if n > 1}
doc.tags.append('counted')
count = globals().get('count', 0) + 1
doc['count'] = count`,
      },
      documents: [
        { id: '1', title: 'The cat and the hat', tags: ['books'] },
        { id: '2', title: 'Horton', tags: [] },
      ],
      output: [
        { id: '1', title: 'The cat and the hat', tags: ['books', 'counted'], words: { the: 2 }, count: 1 },
        { id: '2', title: 'Horton', tags: ['counted'], words: {}, count: 2 },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkScriptSettings(params);
  }

  /** So that Python need not wait for the next document. */
  override readonly maxInFlight = 8;
  readonly #host = new DocumentHost(this.context.log);
  #script: ScriptProcess | undefined;

  override async start(): Promise<void> {
    const { trusted, log } = this.context;
    const pyodide = pyodideFolder();
    const { source, name } = await readScript(this.params);
    const limit = timeLimit(this.context);
    const boundary = requiredBoundary();
    this.#script = new ScriptProcess({
      name,
      ...pyodideCommand(pyodide, trusted ? TRUSTED_BYTES : UNTRUSTED_BYTES, boundary),
      env: {},
      greeting: JSON.stringify({ source, name, ...limit, reserved: [...RESERVED_FIELDS], methods: this.#host.methods }),
      startMillis: MILLIS_TO_START,
      callMillis: limit === undefined ? undefined : limit.millis + MILLIS_AT_MOST,
      ...(boundary === undefined ? {} : { processorMillis: 2 * MILLIS }),
      overdueCode: 'HR_STAGE_OVERDUE',
      readJson,
      makeError: scriptError,
      logger: log,
    });
    await this.#script.start();
  }

  override async process(document: Document): Promise<void> {
    const changes = await this.#script?.call(document.toJson(), (question) =>
      this.#answer(document, question as Value),
    );
    applyChanges(document, changes as Value | undefined);
  }

  override async stop(): Promise<void> {
    await this.#script?.stop();
    this.#script = undefined;
  }

  /** A call on `rawDoc`: what it gives, and the document as it is then, as JSON. */
  #answer(document: Document, question: Value): string {
    const { changes, method, args } = Object.fromEntries(question instanceof Map ? question : []);
    applyChanges(document, changes);
    this.#host.document = document;
    const { value, refusal } = this.#host.call(String(method), Array.isArray(args) ? args : []);
    const result =
      refusal === undefined ? `"value":${writeValue(value ?? null)}` : `"refusal":${JSON.stringify(refusal)}`;
    return `{${result},"document":${document.toJson()}}`;
  }
}

/** What one document may use of processor time, and what to say of one that takes more. */
function timeLimit({ trusted, computeMillis }: StageContext): { millis: number; overdue: object } | undefined {
  if (!trusted && (computeMillis === undefined || computeMillis > MILLIS)) {
    return { millis: MILLIS, overdue: { message: `took more than ${MILLIS} ms of processor time for one document` } };
  }
  if (computeMillis === undefined) return undefined;
  const message = `took more than ${computeMillis} ms of processor time for one document (worker.maxProcessingSecs)`;
  return { millis: computeMillis, overdue: { message, code: 'HR_STAGE_OVERDUE' } };
}

function applyChanges(document: Document, changes: Value | undefined): void {
  if (!(changes instanceof Map)) return;
  const removed = changes.get('removed');
  for (const name of Array.isArray(removed) ? removed : []) document.remove(String(name));
  for (const [name, value] of (changes.get('set') as JsonObject | undefined) ?? []) {
    document.set(name, withBytes(value, document.get(name)));
  }
}
