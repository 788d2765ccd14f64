import { availableParallelism } from 'node:os';
import type { DestinationAccess } from '../component/destination.ts';
import type { CheckResult, FinishedOutput, RunOutcome } from '../component/indexer.ts';
import { createLogger, type LogRecord } from '../component/logger.ts';
import { Registry } from '../component/registry.ts';
import { checkConfig } from '../config/check-config.ts';
import { usesStandardOutput } from '../config/check-indexer.ts';
import type { ConnectorConfig, IngestConfig } from '../config/ingest-config.ts';
import { readMaxFailures } from '../config/max-failures.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import { hasErrors, type Problem } from '../errors/problem.ts';
import { encodingOf } from '../failures/encoded-documents.ts';
import { FailureReports, type PostFailures } from '../failures/failure-reports.ts';
import type { FailedDocument } from '../failures/kept-failure.ts';
import { planRetry, type RetryPlan } from '../failures/retry-plan.ts';
import type { Notice } from '../notices/notice.ts';
import type { MessageGate } from '../transport/message-gate.ts';
import { type ConnectorOutcome, ConnectorRun } from './connector-run.ts';
import { type DocumentCounts, noDocuments, type SharedCounts } from './counters.ts';
import { FailureLimit } from './failure-limit.ts';
import type { IdleLanes } from './idle-lanes.ts';
import type { SharedIndexing } from './indexing-statistics.ts';
import { LazyIndexer } from './lazy-indexer.ts';
import { documentsOf, exceededNotices, lossesOf } from './notice-limits.ts';
import { RetrySource } from './retry-source.ts';
import type { RunContext } from './run-context.ts';
import { RunNotices } from './run-notices.ts';
import type { ConfigFacts, RunRequest } from './run-request.ts';
import type { ConnectorResult } from './run-result.ts';
import { runSummary } from './run-summary.ts';
import { limitedStarts } from './start-limit.ts';
import { type StopReason, stopFailure, stopReason } from './stop-reason.ts';
import type { ConnectorProgress, LimitedStart, ThreadResult, ThreadStages } from './thread-messages.ts';

/**
 * The maximum of the default number of pipeline threads. More threads only help stages with long computations, so a
 * config must set a larger number itself.
 */
const MAX_DEFAULT_THREADS = 4;

/** The maximum number of failed documents in the problems of a run. */
const MAX_FAILURES_AS_PROBLEMS = 10;

/** The environment of a run in its thread. */
export interface RunHost {
  readonly counts: SharedCounts;
  readonly indexing: SharedIndexing;
  readonly idle: IdleLanes;
  /** Aborted, with a `StopReason`, when the run must stop. */
  readonly signal: AbortSignal;
  /** How the run knows the others. Undefined if it has no process beside its thread. */
  readonly destinations?: DestinationAccess;
  readonly log: (record: LogRecord) => void;
  readonly forwardLog: (record: LogRecord) => void;
  readonly logGate: MessageGate;
  /** Called with each pipeline thread when it is opened. */
  readonly onThread: (thread: ThreadStages) => void;
  /** Called with what starts now, if the policy limits its time. Undefined when it has started. */
  readonly onStarting: (start: LimitedStart | undefined) => void;
  /** Called when all pipeline threads of a connector have started their stages. */
  readonly onLoaded: () => void;
  /** Receives failed documents during the run. Undefined if the run does not store them. */
  readonly onFailures: PostFailures | undefined;
  /** The gate that limits the groups for `onFailures`. */
  readonly failureGate: MessageGate;
  /** Called when a connector starts or ends, with the results of the finished connectors. */
  readonly onConnectors: (connectors: ConnectorProgress[], results: readonly ConnectorResult[]) => void;
  /** Called with the notices so far, from time to time if there are new ones. */
  readonly onNotices: (notices: Notice[]) => void;
  /** Called with facts about the config, before its connectors run. */
  readonly onChecked: (facts: ConfigFacts) => void;
  /** Called with the modules of the built-in components that the config uses. */
  readonly onModules: (modules: string[]) => void;
}

/**
 * Runs a config: its connectors in sequence, up to the first one that fails. Never rejects because of a mistake in the
 * config.
 */
export async function runConfig(request: RunRequest, host: RunHost): Promise<ThreadResult> {
  const started = performance.now();
  const logger = createLogger('runner', host.log);
  const seconds = () => (performance.now() - started) / 1000;
  const { registry, config, problems } = await prepare(request);
  const refused = (): ThreadResult => {
    logger.error('Pre-run validation failed.');
    const message = runSummary('FAILED', [], problems);
    const nothing = { connectors: [], counts: noDocuments(), notices: [], failures: [] };
    return { ...nothing, status: 'FAILED', message, problems, seconds: seconds() };
  };
  if (registry === undefined || config === undefined) return refused();
  host.onModules(registry.loadedModules);
  const { entry } = config.indexer;
  host.onChecked({
    indexer: entry.type ?? entry.name,
    usesStandardOutput: await usesStandardOutput(config.indexer, registry),
    marksRead: request.retry === undefined && (await marksRead(config, registry)),
  });
  const { maxFailures } = config.runner;
  const failureLimit = new FailureLimit(maxFailures === undefined ? undefined : readMaxFailures(maxFailures));
  const signal = AbortSignal.any([host.signal, failureLimit.signal]);
  const reports = new FailureReports(host.onFailures, host.failureGate, request.keepAllFailures === true);
  const starting = limitedStarts(host.onStarting);
  const runNotices = new RunNotices(host.onNotices);
  const { collector: notices } = runNotices;
  const indexers = new LazyIndexer(request, config, registry, { ...host, starting, notices });
  const plan = request.retry === undefined ? undefined : await plannedRetry(request.retry, config, indexers);
  problems.push(...(plan?.problems ?? []));
  if (plan !== undefined && hasErrors(plan.problems)) return refused();
  const steps: readonly RunStep[] =
    plan === undefined ? config.connectors.map((connector) => ({ connector })) : retrySteps(plan);
  logger.info(`Starting run with id ${request.runId}`);
  const context: RunContext = {
    runId: request.runId,
    root: request.root,
    registrySource: request.registry,
    trusted: request.trusted === true,
    registry,
    config,
    counts: host.counts,
    indexing: host.indexing,
    reports,
    notices,
    failureLimit,
    idle: host.idle,
    signal,
    defaultThreads: Math.min(MAX_DEFAULT_THREADS, availableParallelism()),
    log: host.log,
    forwardLog: host.forwardLog,
    logGate: host.logGate,
    onThread: host.onThread,
    onLoaded: host.onLoaded,
    starting,
    indexer: () => indexers.get(),
  };
  const progress: ConnectorProgress[] = steps.map(({ connector: { name, pipeline } }) => ({
    name,
    status: 'waiting',
    hasPipeline: pipeline !== undefined,
  }));
  const results: ConnectorResult[] = [];
  const runs = new Map<number, ConnectorRun>();
  let failed = false;
  for (const [i, step] of steps.entries()) {
    const { connector } = step;
    const state = progress[i] as ConnectorProgress;
    if (failed || signal.aborted) {
      results.push(skipped(connector));
      state.status = 'skipped';
      continue;
    }
    state.status = 'running';
    host.onConnectors(progress, results);
    logger.info(`Running connector ${connector.name} feeding to pipeline ${connector.pipeline ?? 'NOT CONFIGURED'}`);
    const run = new ConnectorRun(context, connector, step.retry);
    runs.set(i, run);
    const { result, failures: reasons } = await runConnector(context, connector, run, logger);
    results.push(result);
    state.status = result.status;
    if (reasons.length === 0) continue;
    failed = true;
    problems.push(...reasons.map(({ failure, text }) => toProblem(failure, connector, text)));
    logger.error(`Aborting run because ${connector.name} failed.`);
  }
  host.onConnectors(progress, results);
  const written = host.counts.readWithHeld();
  let stopped = signal.aborted ? stopReason(signal) : undefined;
  const exceeded = (counts: DocumentCounts) => exceededNotices(config.noticeRules, notices.list(), documentsOf(counts));
  const failure =
    stopped === undefined
      ? failed
        ? undefined
        : (failureLimit.atEnd(written) ?? exceeded(written))
      : failureLimit.recounted(stopFailure(stopped), written);
  if (failure !== undefined) {
    problems.push({ severity: 'error', path: '', ...failure });
    logger.error(failure.message);
  }
  failed ||= failure !== undefined;
  let output: FinishedOutput = { checks: [] };
  if (!failed && stopped === undefined) {
    try {
      output = await indexers.finish({ ...written, losses: lossesOf(notices.list()) });
      problems.push(
        ...output.checks.filter(({ outcome }) => outcome === 'failed').map((check) => checkProblem(check, config)),
      );
    } catch (error) {
      // An indexer that was stopped throws, because it has put nothing into use.
      stopped = signal.aborted ? stopReason(signal) : undefined;
      const found = stopped === undefined ? toFailure(error, 'HR_INDEXER_FINISH') : stopFailure(stopped);
      if (found !== undefined) problems.push(atIndexer(found, config));
    }
    failed = hasErrors(problems);
    for (const { severity, message } of problems) if (severity === 'error') logger.error(message);
  }
  const outcome = outcomeOf(failed, stopped, problems);
  for (const [i, run] of runs) {
    const { accounts } = run;
    if (outcome.failed) accounts.incomplete(incompleteOutput(outcome));
    else accounts.complete();
    const ended = await run.end(!outcome.failed);
    results[i] = { ...(ended?.result ?? (results[i] as ConnectorResult)), counts: { ...accounts.counts } };
    if (ended === undefined || ended.failures.length === 0) continue;
    failed = true;
    const { connector } = steps[i] as RunStep;
    problems.push(...ended.failures.map(({ failure, text }) => toProblem(failure, connector, text)));
  }
  const counts = host.counts.read();
  try {
    await indexers.close(outcome);
  } catch (error) {
    failed = true;
    problems.push(atIndexer(toFailure(error, 'HR_INDEXER_FAILED'), undefined));
  }
  // The indexer may have reported notices at its end.
  const late = failed || stopped !== undefined ? undefined : exceeded(counts);
  if (late !== undefined) {
    failed = true;
    problems.push({ severity: 'error', path: '', ...late });
  }
  const status = failed ? 'FAILED' : (stopped?.status ?? 'SUCCEEDED');
  reports.flush();
  problems.push(...listFailures(reports.listed));
  const { checks, replaced } = output;
  const noticed = runNotices.end(host.log, config.noticeRules);
  const { unchanged } = host.indexing.read(undefined);
  const message = runSummary(status, results, problems, {
    notKept: reports.notKept,
    checks,
    unchanged,
    notices: noticed,
  });
  return {
    status,
    message,
    problems,
    connectors: results,
    counts,
    notices: noticed,
    ...(checks.length === 0 ? {} : { checks }),
    ...(replaced === undefined ? {} : { replaced }),
    failures: reports.listed,
    seconds: seconds(),
  };
}

/** A connector of the run, or the retry that replaces it. */
interface RunStep {
  readonly connector: ConnectorConfig;
  readonly retry?: RetrySource;
}

async function plannedRetry(lines: readonly string[], config: IngestConfig, indexers: LazyIndexer): Promise<RetryPlan> {
  // If the indexer cannot be created, the first connector that needs it reports the reason.
  const indexer = await indexers.get().catch(() => undefined);
  return planRetry(lines, config, (connector) => encodingOf(indexer?.encoder(connector)));
}

function retrySteps({ connectors }: RetryPlan): RunStep[] {
  return connectors.map(({ config: connector, documents }) => ({ connector, retry: new RetrySource(documents) }));
}

async function runConnector(
  context: RunContext,
  connector: ConnectorConfig,
  run: ConnectorRun,
  logger: ReturnType<typeof createLogger>,
): Promise<ConnectorOutcome> {
  const everySeconds = context.config.log.seconds ?? 30;
  const timer = setInterval(() => {
    const { counts, pending } = run.accounts;
    logger.info(`${counts.published} docs published by ${connector.name}. Waiting on ${pending} docs.`);
  }, Math.max(1, everySeconds) * 1000);
  try {
    const outcome = await run.run();
    const { seconds, status } = outcome.result;
    logger.info(
      `Connector ${connector.name} feeding to pipeline ${connector.pipeline ?? 'NOT CONFIGURED'} ${status}. Time: ${seconds.toFixed(2)} secs.`,
    );
    return outcome;
  } finally {
    clearInterval(timer);
  }
}

/** Returns true if a connector marks what it has read, so that later runs do not read it again. */
async function marksRead({ connectors }: IngestConfig, registry: Registry): Promise<boolean> {
  for (const { entry, params } of connectors) {
    const Class = await registry.load(entry, 'connector');
    if (Class.marksRead?.(params as never) === true) return true;
  }
  return false;
}

async function prepare(
  request: RunRequest,
): Promise<{ registry: Registry | undefined; config: IngestConfig | undefined; problems: Problem[] }> {
  try {
    const registry = await Registry.open(request.registry);
    return { registry, ...(await checkConfig(request.root, registry)) };
  } catch (error) {
    const problem: Problem = { severity: 'error', path: '', ...toFailure(error, 'HR_INTERNAL') };
    return { registry: undefined, config: undefined, problems: [problem] };
  }
}

/** Converts the first failed documents to problems, for clients that only read the result of a run. */
function listFailures(failures: readonly FailedDocument[]): Problem[] {
  return failures.slice(0, MAX_FAILURES_AS_PROBLEMS).map(({ id, connector, at, failure }) => ({
    severity: 'warning',
    path: '',
    ...failure,
    component: at === 'connector' ? connector : at,
    message:
      at === 'connector' ? failure.message : `${at === 'pipeline' ? id : `Document ${id}`} failed: ${failure.message}`,
  }));
}

const CHECK_HINT = 'Correct the source or the pipeline. If the output is right, change what the check expects.';

function checkProblem({ name, found, expected, hint = CHECK_HINT }: CheckResult, config: IngestConfig): Problem {
  const message = `Check ${name} failed: ${found}, expected ${expected}`;
  return atIndexer({ code: 'HR_RUN_CHECK_FAILED', message, hint }, config);
}

/** @param config undefined if the problem does not come from the block of the indexer */
function atIndexer(failure: Failure, config: IngestConfig | undefined): Problem {
  return { severity: 'error', path: config?.indexer.path ?? 'indexer', component: 'indexer', ...failure };
}

function outcomeOf(failed: boolean, stopped: StopReason | undefined, problems: readonly Problem[]): RunOutcome {
  if (!failed && stopped === undefined) return { failed: false };
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const reason = errors.length > 0 ? errors.join('; ') : `The run was ${stopped?.status ?? 'FAILED'}`;
  return { failed: true, reason };
}

/** The reason why documents fail that were sent to an output that could not be completed. */
function incompleteOutput({ reason }: RunOutcome): Failure {
  return { code: 'HR_INDEXER_FINISH', message: `The output was not completed and has no documents: ${reason}` };
}

function skipped({ name, pipeline }: ConnectorConfig): ConnectorResult {
  const hasPipeline = pipeline !== undefined;
  return { name, status: 'skipped', hasPipeline, counts: noDocuments(), received: 0, seconds: 0 };
}

function toProblem(
  failure: { code: Problem['code']; message: string; hint?: string },
  connector: ConnectorConfig,
  text: string,
): Problem {
  const { code, message, hint } = failure;
  const what = text.replace(/\.$/, '');
  return {
    severity: 'error',
    code,
    path: connector.path,
    component: connector.name,
    message: what === '' ? message : `${what}: ${message}`,
    ...(hint === undefined ? {} : { hint }),
  };
}
