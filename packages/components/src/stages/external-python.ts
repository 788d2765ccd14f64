import { dirname } from 'node:path';
import {
  ChildProgram,
  type Document,
  HeadraceError,
  holdMemory,
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
  /** The script, a file that ends in .py: its path, or its name in one of the folders that the description lists. */
  scriptPath: Type.String(),
  /** The Python that runs the script, or makes the virtual environment. */
  pythonExecutable: Type.String({ default: 'python3' }),
  /** A file of requirements, as pip reads it. */
  requirementsPath: Type.Optional(Type.String()),
  /** The function to call. */
  functionName: Type.String({ default: 'process_document' }),
  /** Has no effect: no port is needed. Accepted because Lucille has it. */
  port: Type.Optional(Type.Union([Type.Number(), Type.String()], { noEffect: true })),
});

/** The time limit for loading the script. Importing its packages may take long. */
const MILLIS_TO_START = 2 * 60_000;
const MILLIS_FOR_A_CALL = 5 * 60_000;
/** The highest limit of processor time for one call, for an untrusted config. */
const PROCESSOR_MILLIS = 60_000;

/**
 * Calls a function of a Python script with each document. The script runs in the Python of this machine, with all its
 * packages.
 *
 * The function gets the document as a dict with all fields, including id and run_id; bytes are a text in base64. It
 * returns a dict, or a text with a JSON object: the whole document. Fields in it are set, fields that it lacks are
 * removed. id and the other fields of the engine never change. If it returns None or an empty text, the document does
 * not change. Any other result, and an exception, fails the document, with the line of the script.
 *
 * Each pipeline thread has a separate Python process, which loads the script once and runs until the pipeline ends.
 * Global variables keep their values from document to document, separately in each process. A process that dies fails
 * its current document, and the next document gets a new process. A call may take 5 minutes, loading the script 2. What
 * the script prints goes to the log.
 *
 * A file of requirements names the packages that the script needs. They are installed when the pipeline starts, into
 * the virtual environment ./python/venv of the working directory, which is created if it is missing. If this
 * environment exists, the script runs in it.
 *
 * Configs that were uploaded to a service may only name scripts and requirements that are directly in ./python,
 * ./src/main/resources or ./src/test/resources of the server, and a pythonExecutable without a path. If the policy of
 * the service has scripts: sandbox (as strict does), scripts run inside a boundary of the operating system: without
 * network and new processes, with read access only to Python and the folder of the script, with 1 GiB of memory, 60
 * seconds of processor time for each document (worker.maxProcessingSecs if it is less), and without requirementsPath. A
 * machine without such a boundary refuses the stage.
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
    const functionName = params.functionName;
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

  /** Several documents are sent ahead, so Python never waits for the next one. */
  override readonly maxInFlight = 32;
  #script: ScriptProcess | undefined;

  override async start(): Promise<void> {
    const { scriptPath, requirementsPath, pythonExecutable } = this.params;
    const { trusted, log, threadNumber, computeMillis = PROCESSOR_MILLIS } = this.context;
    if (!trusted && !/^python[\d.]*$/.test(pythonExecutable)) {
      throw new HeadraceError('HR_STAGE_START', `An uploaded config cannot run ${pythonExecutable}`, {
        hint: 'Only the name of a Python is allowed, such as python3 or python3.12.',
      });
    }
    const inBoundary = requiredBoundary() !== undefined;
    if (inBoundary && requirementsPath !== undefined) {
      throw new HeadraceError(
        'HR_POLICY_REFUSED',
        'An uploaded config may not install requirements: pip needs the network',
        {
          hint: 'Ask the operator of the service to install them into ./python/venv, and remove requirementsPath.',
        },
      );
    }
    const path = await findScriptFile(scriptPath, !trusted);
    const requirements =
      requirementsPath === undefined || threadNumber > 1 ? undefined : await findScriptFile(requirementsPath, !trusted);
    const python = await pythonCommand(pythonExecutable, requirements);
    const args = ['-c', EXTERNAL_PYTHON, path, this.params.functionName];
    const launch = inBoundary
      ? await boundedPython(python, dirname(path), args, CHECKS)
      : { command: python, args, confined: undefined };
    const { command, confined } = launch;
    this.#script = new ScriptProcess({
      name: scriptPath,
      command,
      args: launch.args,
      ...(inBoundary
        ? { env: {}, processorMillis: Math.min(computeMillis, PROCESSOR_MILLIS), overdueCode: 'HR_STAGE_OVERDUE' }
        : { env: process.env }),
      startProgram: (program, itsArgs, options) => ChildProgram.start(program, itsArgs, { ...options, confined }),
      startMillis: MILLIS_TO_START,
      callMillis: MILLIS_FOR_A_CALL,
      readJson,
      memory: holdMemory('the answer of the script', this),
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

/** Replaces all fields of the document, except the reserved fields of the engine. */
function replaceFields(document: Document, fields: JsonObject): void {
  for (const name of [...document.fieldNames]) {
    if (!fields.has(name) && !RESERVED_FIELDS.has(name)) document.remove(name);
  }
  for (const [name, value] of fields) {
    if (RESERVED_FIELDS.has(name)) continue;
    document.set(name, withBytes(value, document.get(name)));
  }
}
