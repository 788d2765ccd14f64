import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { hasErrors, messageOf, type PreviewResult, RunThreads } from '@headrace/engine';
import { CommandError, EXIT } from '../cli/exit-code.ts';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { problemLines } from '../config/print-problems.ts';
import { HEAP_MB } from './heap.ts';

interface PreviewOptions {
  readonly set: readonly string[];
  readonly pipeline: string | undefined;
  readonly documents: string | undefined;
  readonly limit: number | undefined;
  readonly components: readonly string[];
  readonly json: boolean;
}

type Preview = PreviewResult['results'][number];

/** A preview is looked at; one that takes longer hangs. */
const TIMEOUT_MILLIS = 10 * 60_000;

/** `headrace preview CONFIG`: what a pipeline makes of some documents, without a run. */
export async function preview([file = '']: readonly (string | undefined)[], options: PreviewOptions): Promise<number> {
  const { root, problems } = loadConfig(file, options.set);
  if (root === undefined || hasErrors(problems)) {
    process.stderr.write(problemLines(problems, file));
    return EXIT.invalid;
  }
  const documents = options.documents === undefined ? undefined : await readDocuments(options.documents);
  const threads = new RunThreads({ heapMb: HEAP_MB, keepWarm: false });
  try {
    const result = await threads.preview(
      {
        root,
        registry: registrySource(file, options.components),
        ...(options.pipeline === undefined ? {} : { pipeline: options.pipeline }),
        ...(documents === undefined ? {} : { documents }),
        ...(options.limit === undefined ? {} : { limit: options.limit }),
      },
      TIMEOUT_MILLIS,
    );
    const all = [...problems, ...result.problems];
    process.stderr.write(problemLines(all, file));
    if (hasErrors(all)) return EXIT.invalid;
    for (const one of result.results) print(one, options.json);
    return result.results.some((one) => one.failure !== undefined) ? EXIT.failed : EXIT.ok;
  } finally {
    await threads.close();
  }
}

/** One JSON text a line. */
async function readDocuments(file: string): Promise<string[]> {
  try {
    const text = file === '-' ? await readText(process.stdin) : readFileSync(file, 'utf8');
    return text.split(/\r?\n/).filter((line) => line.trim() !== '');
  } catch (error) {
    throw new CommandError(`The documents ${file} cannot be read: ${messageOf(error)}`, EXIT.invalid);
  }
}

function print({ input, documents, dropped, failure }: Preview, json: boolean): void {
  if (json) {
    // Documents stay the texts they are: read and written again, long integers would change.
    const ids = JSON.stringify(dropped);
    const why = failure === undefined ? '' : `,"failure":${JSON.stringify(failure)}`;
    process.stdout.write(`{"input":${asJson(input)},"documents":[${documents.join(',')}],"dropped":${ids}${why}}\n`);
    return;
  }
  for (const document of documents) process.stdout.write(`${document}\n`);
  for (const id of dropped) process.stderr.write(`dropped: ${id}\n`);
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? '' : ` ${failure.hint}`;
    const stage = failure.stage === '' ? '' : `${failure.stage}: `;
    process.stderr.write(`failed: ${stage}${failure.message}${hint} ${input}\n`);
  }
}

/** An input may be no JSON at all, which is why it failed: then it is shown as a text. */
function asJson(input: string): string {
  try {
    JSON.parse(input);
    return input;
  } catch {
    return JSON.stringify(input);
  }
}
