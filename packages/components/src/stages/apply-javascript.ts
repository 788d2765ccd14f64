import { type Document, type HeadraceError, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import {
  SANDBOX_LIMITS,
  SandboxedScript,
  type SandboxLimits,
  syntaxMistake,
  VmScript,
} from '@headrace/sandbox/javascript';
import type { ScriptProblem } from '@headrace/sandbox/problems';
import { DocumentHost } from '../scripts/document-host.ts';
import { INLINE_SCRIPT, scriptError } from '../scripts/script-error.ts';
import { checkScriptSettings, readScript, scriptParameters } from '../scripts/script-source.ts';

const parameters = Type.Object(scriptParameters);

/**
 * Runs a script in JavaScript on each document. The script changes the document through <code>doc</code>; what it
 * evaluates to is ignored.
 * <p>
 * <code>doc.title</code> reads a field: undefined when it is missing, null, a text, a number, a boolean, or a real list
 * or object, which may be changed in place (<code>doc.tags.push('new')</code>). Bytes are a text in base64, and integers
 * beyond 2^53 are BigInts. <code>doc.title = …</code> writes a field: lists and objects are copied, undefined is null, a
 * number without a fraction is an integer, a Date the text of its instant. <code>delete doc.title</code> removes one,
 * <code>'title' in doc</code> and <code>Object.keys(doc)</code> look at them. A name is always the name of a field, dots
 * and all: <code>doc['a.b']</code>. Writing a field of the engine (such as id) fails the document.
 * <p>
 * <code>rawDoc</code> has the methods of Lucille's documents: has, hasNonNull, isMultiValued, length, getFieldNames,
 * getString, getInt, getLong, getDouble, getFloat, getBoolean (each with List behind it for all values), getJson,
 * getNestedJson(path), setField, addToField, setOrAdd, update(field, mode, values…), removeField, renameField(from, to,
 * mode), removeFromArray(field, index), removeDuplicateValues(field, target), setNestedJson(path, value),
 * removeNestedJson(path), setDropped, setSkipped, isDropped, isSkipped, addChild(object), getChildren, hasChildren,
 * removeChildren, getId, getRunId, asMap, toString. A mode is <code>UpdateMode.OVERWRITE</code>, <code>APPEND</code> or
 * <code>SKIP</code>.
 * <p>
 * What <code>var</code> and functions declare at the top, and what is assigned without a declaration, is kept from one
 * document to the next, in each pipeline thread for itself; <code>let</code> and <code>const</code> are new for each
 * document. There is ECMAScript and <code>console</code>, which writes to the log, but no <code>require</code>, no
 * timers, no network and no Java. Promises are settled before the document goes on; an error in one that nobody waits
 * for goes to the log at most. Any other error fails the document and names the line of the script.
 * <p>
 * Scripts of configs that were uploaded to a service run in a sandbox (QuickJS): they get 5 seconds for each document
 * and 64 MiB of memory, and there is no Intl. All others run at full speed, with the time that all stages have
 * (<code>worker.maxProcessingSecs</code>). A script that exhausts its time begins anew with the next document, without
 * what it kept.
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
export class ApplyJavascript extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly scripts = 'sandbox';

  static readonly examples = [
    {
      description: 'A field computed from others, and a list changed in place',
      params: {
        script: `const words = doc.title.split(' ');
doc.words = words.length;
if (doc.price * doc.count > 100) doc.tags.push('big order');`,
      },
      documents: [{ id: '1', title: 'Blue paper boat', price: 25.5, count: 4, tags: ['boats'] }],
      output: [{ id: '1', title: 'Blue paper boat', price: 25.5, count: 4, tags: ['boats', 'big order'], words: 3 }],
    },
    {
      description: 'What var declares is kept: number the documents, and append through rawDoc',
      params: {
        script: `var n = (n || 0) + 1;
rawDoc.update('log', UpdateMode.APPEND, 'document ' + n);`,
      },
      documents: [{ id: '1', log: 'made' }, { id: '2' }],
      output: [
        { id: '1', log: ['made', 'document 1'] },
        { id: '2', log: 'document 2' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkScriptSettings(params);
    if (params.script === undefined) return;
    const mistake = syntaxMistake(params.script, INLINE_SCRIPT);
    if (mistake !== undefined) yield { parameter: 'script', message: mistake };
  }

  #script: VmScript<Document> | SandboxedScript<Document> | undefined;

  override async start(): Promise<void> {
    const { trusted, log, computeMillis } = this.context;
    const { source, name } = await readScript(this.params);
    const host = new DocumentHost(log);
    this.#script = trusted
      ? new VmScript(source, name, host, scriptError)
      : await SandboxedScript.open(source, name, host, sandboxError, sandboxLimits(computeMillis));
  }

  override process(document: Document): void | Promise<void> {
    return this.#script?.run(document);
  }

  override stop(): void {
    if (this.#script instanceof SandboxedScript) this.#script.close();
    this.#script = undefined;
  }
}

/** The limits of the sandbox. They include that of the document, because a new sandbox opens outside the engine's clock. */
function sandboxLimits(computeMillis: number | undefined): SandboxLimits {
  if (computeMillis === undefined || computeMillis > SANDBOX_LIMITS.millis) return SANDBOX_LIMITS;
  const message = `took more than ${computeMillis} ms of processor time for one document (worker.maxProcessingSecs)`;
  return { ...SANDBOX_LIMITS, millis: computeMillis, overdue: { message, code: 'HR_STAGE_OVERDUE' } };
}

/** The error of a script in the sandbox. */
function sandboxError(problem: ScriptProblem): HeadraceError {
  if (problem.when === 'run') return scriptError(problem);
  const hint = 'Scripts of uploaded configs run in QuickJS, which may lack what is newest in JavaScript.';
  return scriptError({ ...problem, hint });
}
