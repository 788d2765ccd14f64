import { RoleRunner } from '@headrace/distributed';
import { type LogRecord, noDocuments, SecretMask } from '@headrace/engine';
import { limitHeaps, RunLauncher } from '@headrace/engine/threads';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { onStopSignal, type StopSignal } from '../process/stop-signals.ts';
import { createReporter } from '../report/run-reporter.ts';
import { withThreads } from './distribute.ts';
import { DISTRIBUTED_THREADS } from './heap.ts';
import { loadDistributed, pipelineOf } from './load-distributed.ts';
import { startHealth } from './start-health.ts';

export interface RoleOptions {
  readonly set: readonly string[];
  readonly components: readonly string[];
  readonly pipeline: string | undefined;
  readonly threads: number | undefined;
  readonly healthPort: number | undefined;
}

type RoleName = 'worker' | 'indexer' | 'worker-indexer';

/** `headrace worker CONFIG`, `indexer` and `worker-indexer`: serves distributed runs until the first signal. */
export async function runRole(
  role: RoleName,
  [file = '']: readonly (string | undefined)[],
  options: RoleOptions,
): Promise<number> {
  const threads = options.threads === undefined ? [] : [`worker.threads=${options.threads}`];
  const loaded = await loadDistributed(file, [...options.set, ...threads], options.components);
  if (loaded === undefined) return EXIT.invalid;
  const pipeline = pipelineOf(loaded, options.pipeline);
  limitHeaps(DISTRIBUTED_THREADS);
  const launcher = new RunLauncher(DISTRIBUTED_THREADS);
  const mask = new SecretMask(loaded.root, false);
  const reporting = createReporter(`${role}-${pipeline}`, () => runner.handle?.progress() ?? NO_PROGRESS);
  const onLog = (record: LogRecord) => void reporting.then((reporter) => reporter.log(mask.record(record)));
  const { settings, registry } = loaded;
  const config = withThreads(loaded.config);
  const runner = new RoleRunner({ launcher, config, settings, registry, role, pipeline, continues: true, onLog });
  const health = await startHealth(options.healthPort, runner);
  let stoppedBy: StopSignal | undefined;
  const stopListening = onStopSignal((signal) => {
    stoppedBy = signal;
    const message = `${signal}: the ${runner.name} finishes the documents in progress and leaves; once more ends it immediately`;
    onLog({ level: 'warn', time: Date.now(), logger: 'headrace', message });
    runner.stop();
  });
  try {
    const message = `The ${runner.name} starts. It reads from Kafka at ${settings.bootstrapServers}${health === undefined ? '' : ` and reports its health on port ${health.port}`}`;
    onLog({ level: 'info', time: Date.now(), logger: 'headrace', message });
    const result = await runner.run();
    (await reporting).close();
    if (stoppedBy !== undefined) {
      if (runner.unfinished === undefined) return EXIT.ok;
      writeLines('stderr', [`The ${runner.name} has left unfinished documents: ${runner.unfinished}`]);
      return EXIT.failed;
    }
    if (result !== undefined) writeLines('stderr', result.message.split('\n'));
    return EXIT.failed;
  } finally {
    stopListening();
    await health?.close();
    await launcher.close();
  }
}

const NO_PROGRESS = { counts: noDocuments(), connectors: [], stages: [], notices: [] };

type Args = readonly (string | undefined)[];

export const worker = (args: Args, options: RoleOptions) => runRole('worker', args, options);
export const indexer = (args: Args, options: RoleOptions) => runRole('indexer', args, options);
export const workerIndexer = (args: Args, options: RoleOptions) => runRole('worker-indexer', args, options);
