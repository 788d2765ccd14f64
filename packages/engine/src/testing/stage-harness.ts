import { fromValue, type ObjectNode } from '@headrace/hocon';
import { join } from '../component/config-nodes.ts';
import { checkParameters, type ParameterProblem, parameterKeys } from '../component/parameters.ts';
import type { Stage, StageClass, StageContext } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { readJson } from '../document/json-reader.ts';
import { messageOf } from '../errors/headrace-error.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';

/** The error for invalid parameters of a component, as in the config check. */
export class RefusedParameters extends Error {
  readonly problems: readonly { path: string; message: string }[];

  constructor(problems: readonly { path: string; message: string }[]) {
    super(problems.map((problem) => `${problem.path}: ${problem.message}`).join('\n'));
    this.problems = problems;
  }
}

/** The result of one input document: the documents that left the stage, as JSON, and the error message. */
export interface StageOutcome {
  readonly documents: string[];
  readonly error: string | undefined;
}

/** The context of a stage under test, with its log and its notices. */
export interface TestStageContext extends StageContext {
  readonly logged: string[];
  readonly collector: NoticeCollector;
}

/** Returns a context for a stage under test. */
export function stageContext(overrides: Partial<StageContext> = {}): TestStageContext {
  const collector = new NoticeCollector();
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  return {
    name: 'stage_1',
    pipeline: 'p',
    runId: 'run',
    threadName: 'Worker-1',
    threadNumber: 1,
    shared: new Map(),
    trusted: true,
    log: { debug: log, info: log, warn: log, error: log },
    notices: collector.of({ component: 'stage_1', pipeline: 'p' }),
    ...overrides,
    logged,
    collector,
  };
}

/**
 * Creates a stage with plain-data parameters and checks them as in the config check: the schema, the `check` method,
 * the constructor. Throws `RefusedParameters`.
 */
export function makeStage(
  StageClass: StageClass,
  params: Record<string, unknown>,
  context: StageContext = stageContext(),
): Stage {
  const checked = checkParameters(StageClass.parameters, fromValue(params) as ObjectNode, '');
  const errors = checked.problems.filter((problem) => problem.severity === 'error');
  if (errors.length > 0) throw new RefusedParameters(errors);
  const found: ParameterProblem[] = [...(StageClass.check?.(checked.value as never) ?? [])];
  const refused = found.filter((problem) => problem.severity !== 'warning');
  if (refused.length > 0) {
    throw new RefusedParameters(
      refused.map((problem) => ({ path: parameterKeys(problem).reduce<string>(join, ''), message: problem.message })),
    );
  }
  return new StageClass(checked.value as never, context);
}

/**
 * Sends documents, as JSON strings or plain data, through one stage, one at a time. Throws `RefusedParameters`, and
 * errors of `start`. A document that fails does not stop the other documents.
 */
export async function runStage(
  StageClass: StageClass,
  params: Record<string, unknown>,
  documents: readonly (string | Record<string, unknown>)[],
  context: StageContext = stageContext(),
): Promise<StageOutcome[]> {
  const stage = makeStage(StageClass, params, context);
  await stage.start?.();
  const outcomes: StageOutcome[] = [];
  try {
    for (const input of documents) {
      outcomes.push(await processOne(stage, toDocument(input)));
      threadMemory.releaseDocuments();
    }
  } finally {
    await stage.stop?.();
  }
  return outcomes;
}

/** Creates a document from a JSON string or plain data. */
export function toDocument(input: string | Record<string, unknown>): Document {
  return Document.fromObject(readJson(typeof input === 'string' ? input : JSON.stringify(input)) as never);
}

async function processOne(stage: Stage, document: Document): Promise<StageOutcome> {
  const out: string[] = [];
  try {
    for (const child of (await stage.process(document)) ?? []) out.push(child.toJson());
    out.push(document.toJson());
    return { documents: out, error: undefined };
  } catch (error) {
    return { documents: out, error: messageOf(error) };
  }
}
