import { parentPort, workerData } from 'node:worker_threads';
import { BatchProcessor } from '../batch/batch-processor.ts';
import { instantiate } from '../batch/decoders.ts';
import type { FromPipeline, OpenPipeline, ToPipeline } from '../batch/pipeline-messages.ts';
import type { DocumentEncoder } from '../component/indexer.ts';
import { createLogger, type LogRecord } from '../component/logger.ts';
import { Registry } from '../component/registry.ts';
import { ProblemList } from '../config/check-component.ts';
import { checkPipelines } from '../config/check-pipelines.ts';
import { currentNames } from '../config/current-names.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import { hasErrors } from '../errors/problem.ts';
import { Deadline } from '../execution/deadline.ts';
import { Pipeline } from '../execution/pipeline.ts';
import { FailureBudget } from '../failures/failure-budget.ts';
import { workForRun } from '../memory/thread-memory.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { enforcePolicyOf } from '../policy/current-policy.ts';
import { FlowControl } from '../transport/flow-control.ts';
import { MessageGate } from '../transport/message-gate.ts';
import { preload } from './preload.ts';
import { logBlockedHosts } from './refused-hosts.ts';
import { SharedStatistics } from './stage-statistics.ts';
import type { LaneData } from './thread-messages.ts';
import { passOnWarnings, printed, printOnlyText } from './thread-output.ts';

/**
 * The entry of a pipeline thread. It works for one pipeline of one run at a time, from `open` to `close`. It processes
 * its messages strictly in sequence.
 */

const port = parentPort;
if (port === null) throw new Error('pipeline-thread-entry is the entry of a worker thread');
passOnWarnings();
printOnlyText();

let open:
  | { pipeline: Pipeline; processor: BatchProcessor; statistics: SharedStatistics; notices: NoticeCollector }
  | undefined;

function post(message: FromPipeline, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

async function openPipeline(request: OpenPipeline): Promise<void> {
  const { runId, threadName, threadNumber, shared, trusted, lengths, computeMillis } = request;
  enforcePolicyOf(request);
  const gate = new MessageGate(request.logGate);
  const flow = new FlowControl(request.flow);
  workForRun({ run: (workerData as LaneData).run, stopped: () => flow.stopped, mayBlock: true });
  const write = (record: LogRecord) => {
    gate.enter();
    post({ type: 'log', record });
    gate.wait(() => flow.stopped);
  };
  logBlockedHosts(write);
  const log = (name: string) => createLogger(name, write);
  const registry = await Registry.open(request.registry);
  // The thread of the run has already checked the config. This check only converts the parameters for the stage
  // classes.
  const list = new ProblemList();
  const pipelines = await checkPipelines(currentNames(request.root).root, registry, list);
  const pipelineConfig = pipelines.find((pipeline) => pipeline.name === request.pipeline);
  if (pipelineConfig === undefined || hasErrors(list.problems)) {
    const reason = list.problems.find(({ severity }) => severity === 'error')?.message;
    throw new HeadraceError('HR_STAGE_START', reason ?? `There is no pipeline ${request.pipeline}`);
  }
  const statistics = new SharedStatistics(request.statistics);
  const notices = new NoticeCollector();
  let processor: BatchProcessor | undefined;
  const deadline = new Deadline(computeMillis);
  const pipeline = await Pipeline.start(pipelineConfig, registry, {
    runId,
    threadName,
    threadNumber,
    shared,
    trusted,
    computeMillis,
    // The environment variable is for measurements (bench/matrix).
    tables: process.env.HEADRACE_TABLES !== 'off',
    log,
    notices,
    onStart: (stage) => post({ type: 'starting', stage }),
    guard: (work, moreMillis) => processor?.guarded(work, moreMillis) ?? deadline.runOnce(work, moreMillis),
  });
  try {
    processor = new BatchProcessor({
      pipeline,
      runId,
      encoder:
        request.encoder === undefined
          ? undefined
          : await instantiate<DocumentEncoder>(
              request.encoder,
              log(request.encoder.name),
              notices.of({ component: request.indexer }),
            ),
      lengths,
      families: request.families,
      deadline,
      flow,
      failureBudget: new FailureBudget(request.failureBudget),
      log: log(request.pipeline),
      notices,
      recordNotices: notices.of({ component: request.connector }),
      post: (part) => {
        const transfer = part.bytes.byteLength === 0 ? [] : [part.bytes.buffer as ArrayBuffer];
        statistics.write(pipeline.statistics);
        post({ type: 'part', ...part }, transfer);
      },
      broken: (sequence, failure) => post({ type: 'broken', sequence, failure }),
    });
    open = { pipeline, processor, statistics, notices };
  } catch (error) {
    await pipeline.stop();
    throw error;
  }
}

async function closePipeline(): Promise<void> {
  open?.statistics.write(open.pipeline.statistics);
  let failure: Failure | undefined;
  try {
    await open?.pipeline.stop();
    await printed();
  } catch (error) {
    failure = toFailure(error, 'HR_STAGE_FAILED');
  }
  post({ type: 'closed', failure, notices: open?.notices.take() ?? [] });
  open = undefined;
}

async function handle(message: ToPipeline): Promise<void> {
  switch (message.type) {
    case 'open':
      try {
        await openPipeline(message);
        post({ type: 'opened', shared: message.shared });
      } catch (error) {
        post({ type: 'refused', failure: toFailure(error, 'HR_STAGE_START') });
      }
      break;
    case 'batch':
      await open?.processor.process(message.sequence, message.batch);
      break;
    case 'close':
      await closePipeline();
  }
}

preload(workerData as LaneData);
let last: Promise<void> = Promise.resolve();
port.on('message', (message: ToPipeline) => {
  // An error here ends the thread, and the run detects this.
  last = last.then(() => handle(message));
});
