import { dirname } from 'node:path';
import {
  type Document,
  HeadraceError,
  type JsonObject,
  type ParameterProblem,
  RESERVED_FIELDS,
  readJson,
  requiredBoundary,
  requireNothingHidden,
  requireReadOnly,
  Stage,
  type Static,
  Type,
} from '@headrace/engine';
import { ScriptProcess } from '@headrace/sandbox/process';
import { boundedPython, EXTERNAL_PYTHON } from '@headrace/sandbox/python';
import { findScriptFile, pythonCommand } from '../scripts/python-environment.ts';
import { scriptError } from '../scripts/script-error.ts';
import { withBytes } from '../scripts/with-bytes.ts';

const parameters = Type.Object({
  scriptPath: Type.String(),
  pythonExecutable: Type.Optional(Type.String({ default: 'python3' })),
  requirementsPath: Type.Optional(Type.String()),
  functionName: Type.Optional(Type.String({ default: 'process_document' })),
  port: Type.Optional(Type.Union([Type.Number(), Type.String()], { noEffect: true })),
});

/** Importing what scripts use may take its time. */
const MILLIS_TO_START = 2 * 60_000;
const MILLIS_FOR_A_CALL = 5 * 60_000;
/** Of the processor, for a call of a config that is not trusted. */
const PROCESSOR_MILLIS = 60_000;

/**
 * Calls a function of a Python script with each document. The script runs in the Python of this machine, with all its
 * packages.
 * <p>
 * The function gets the document as a dict with all fields, id and run_id among them; bytes are a text in base64. It
 * returns
 * <ul>
 *   <li>a dict (or a text that holds a JSON object): the <b>whole</b> document. Fields in it are set, fields that are
 *   not in it are removed; id and the other fields of the engine stay as they are, listed or not;</li>
 *   <li>None, or an empty text: the document stays as it is.</li>
 * </ul>
 * Anything else, and an exception, fails the document; the error names the line of the script.
 * <p>
 * Each pipeline thread has a Python process of its own, which loads the script once and lives as long as the pipeline:
 * global variables keep their values from document to document, for each process by itself. A process that dies fails
 * the document that it was at, and the next document gets a new one. A call may take 5 minutes, loading the script 2. What
 * the script prints goes to the log.
 * <p>
 * The packages that the script needs are named in a file of requirements: they are installed, when the pipeline starts,
 * into the virtual environment <code>./python/venv</code> of the working directory, which is made if it is not there.
 * Where this environment exists, the script runs in it.
 * <p>
 * Configs that were uploaded to a service may only name scripts and requirements that lie directly in
 * <code>./python</code>, <code>./src/main/resources</code> or <code>./src/test/resources</code> of the server, and a
 * pythonExecutable without a path. Where the policy of the service says <code>scripts: sandbox</code> (as
 * <code>strict</code> does), they run behind a boundary of the operating system: without network and new processes, with
 * nothing to read but Python and the folder of the script, with 1 GiB of memory, 60 seconds of processor time for each
 * document, and without requirementsPath. On a machine that offers no boundary the stage is refused.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>scriptPath (String, Required) : The script, a file that ends in .py: its path, or its name in one of the folders
 *   above.</li>
 *   <li>pythonExecutable (String, Optional) : The Python that runs the script, or makes the virtual environment.
 *   Defaults to python3.</li>
 *   <li>requirementsPath (String, Optional) : A file of requirements, as pip reads it.</li>
 *   <li>functionName (String, Optional) : The function to call. Defaults to process_document.</li>
 *   <li>port (Number or String, Optional) : Has no effect: no port is needed. Accepted because Lucille has it.</li>
 * </ul>
 */
export class ExternalPython extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly scripts = 'boundary';

  static readonly examples = [
    {
      description: 'A script beside the config: def process_document(doc): return {"title": doc["title"].title()}',
      params: { scriptPath: 'examples/title.py' },
      documents: [{ id: '1', title: 'blue paper boat', draft: true }],
      output: [{ id: '1', title: 'Blue Paper Boat' }],
      needs: 'the script',
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { scriptPath, port } = params;
    const functionName = params.functionName as string;
    if (!scriptPath.endsWith('.py')) {
      yield { parameter: 'scriptPath', message: `scriptPath must be the path of a .py file, was "${scriptPath}"` };
    }
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(functionName)) {
      yield { parameter: 'functionName', message: `"${functionName}" cannot be the name of a function` };
    }
    if (typeof port === 'string' && !/^\s*\d+\s*$/.test(port)) {
      yield { parameter: 'port', message: `port must be a number, was "${port}"` };
    }
  }

  /** So that Python need not wait for the next document. */
  override readonly maxInFlight = 8;
  #script: ScriptProcess | undefined;

  override async start(): Promise<void> {
    const { scriptPath, requirementsPath } = this.params;
    const pythonExecutable = this.params.pythonExecutable as string;
    const { trusted, log, threadNumber } = this.context;
    if (!trusted && !/^python[\d.]*$/.test(pythonExecutable)) {
      throw new HeadraceError('HR_STAGE_START', `An uploaded config cannot run ${pythonExecutable}`, {
        hint: 'Only the name of a Python, such as python3 or python3.12, is allowed there.',
      });
    }
    const boundary = requiredBoundary();
    if (boundary !== undefined && requirementsPath !== undefined) {
      throw new HeadraceError(
        'HR_POLICY_REFUSED',
        'An uploaded config may not install requirements: that takes the network',
        {
          hint: 'Who runs the service installs them into ./python/venv, and the config leaves requirementsPath away.',
        },
      );
    }
    const path = await findScriptFile(scriptPath, !trusted);
    const requirements =
      requirementsPath === undefined || threadNumber > 1 ? undefined : await findScriptFile(requirementsPath, !trusted);
    const python = await pythonCommand(pythonExecutable, requirements);
    const args = ['-c', EXTERNAL_PYTHON, path, this.params.functionName as string];
    this.#script = new ScriptProcess({
      name: scriptPath,
      ...(boundary === undefined
        ? { command: python, args, env: process.env }
        : {
            ...(await boundedPython(boundary, python, dirname(path), args, CHECKS)),
            env: {},
            processorMillis: PROCESSOR_MILLIS,
          }),
      startMillis: MILLIS_TO_START,
      callMillis: MILLIS_FOR_A_CALL,
      readJson,
      makeError: scriptError,
      logger: log,
    });
    await this.#script.start();
  }

  override async process(document: Document): Promise<void> {
    const result = await this.#script?.call(document.toJson());
    if (result instanceof Map) replaceFields(document, result as JsonObject);
  }

  override async stop(): Promise<void> {
    await this.#script?.stop();
    this.#script = undefined;
  }
}

const CHECKS = { makeError: scriptError, requireNothingHidden, requireReadOnly };

/** Makes the fields of the document those given, the engine's excepted. */
function replaceFields(document: Document, fields: JsonObject): void {
  for (const name of [...document.fieldNames]) {
    if (!fields.has(name) && !RESERVED_FIELDS.has(name)) document.remove(name);
  }
  for (const [name, value] of fields) {
    if (RESERVED_FIELDS.has(name)) continue;
    document.set(name, withBytes(value, document.get(name)));
  }
}
