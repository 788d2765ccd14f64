import { failTopic, deadLetters as readDeadLetters, replay as replayTopic, sourceTopic } from '@headrace/distributed';
import { counted, createLogger, type Logger, type LogRecord } from '@headrace/engine';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { sayError } from '../process/standard-error.ts';
import { loadDistributed } from './load-distributed.ts';

export interface DeadLetterOptions {
  readonly config: string | undefined;
  readonly set: readonly string[];
}

export interface ReplayOptions extends DeadLetterOptions {
  readonly to: string | undefined;
}

/** `headrace dead-letters TOPIC --config CONFIG`: prints each message as a line of JSON. */
export async function deadLetters(
  [topic = '']: readonly (string | undefined)[],
  options: DeadLetterOptions & { readonly json?: boolean },
): Promise<number> {
  const loaded = await load(options);
  if (loaded === undefined) return EXIT.invalid;
  let count = 0;
  for await (const letter of readDeadLetters({ settings: loaded.settings, topic, log: errorLog() })) {
    const { key, reason, place, run, time, partition, offset, value, omittedBytes, batch } = letter;
    const id = { partition, offset: Number(offset), id: key };
    // A damaged batch cannot be shown.
    const content = batch === undefined ? { document: value.toString() } : { documents: batch.count };
    writeLines('stdout', [JSON.stringify({ ...id, reason, place, run, time, omittedBytes, ...content })]);
    count++;
  }
  writeLines('stderr', [`${counted(count, 'message')} in ${topic}`]);
  return EXIT.ok;
}

/** `headrace replay TOPIC --config CONFIG`: sends the messages to the source topic of their pipeline again. */
export async function replay([topic = '']: readonly (string | undefined)[], options: ReplayOptions): Promise<number> {
  const loaded = await load(options);
  if (loaded === undefined) return EXIT.invalid;
  const { settings, config } = loaded;
  const pipeline = (config.pipelines ?? []).find(({ name = '' }) => failTopic(settings, name) === topic)?.name;
  if (options.to === undefined && pipeline === undefined) {
    const message = `${topic} is not the dead-letter topic of a pipeline of the config. Name the topic to write with --to.`;
    throw new CommandError(message, EXIT.invalid);
  }
  const to = options.to ?? sourceTopic(settings, pipeline as string);
  const sent = await replayTopic({ settings, topic, to, log: errorLog() });
  writeLines('stderr', [`${counted(sent, 'message')} of ${topic} sent to ${to}`]);
  return EXIT.ok;
}

async function load({ config, set }: DeadLetterOptions) {
  if (config === undefined) {
    throw new CommandError('Name the config, whose kafka block says where the topic is, with --config.', EXIT.invalid);
  }
  return loadDistributed(config, set, []);
}

/** Warnings and errors go to standard error. */
function errorLog(): Logger {
  return createLogger('headrace', ({ level, message }: LogRecord) => {
    if (level === 'warn' || level === 'error') sayError(message);
  });
}
