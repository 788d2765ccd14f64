import { setImmediate } from 'node:timers/promises';
import type { ConnectorClass, RejectedRecord } from '../component/connector.ts';
import { silentLogger } from '../component/logger.ts';
import type { Registry } from '../component/registry.ts';
import type { ConnectorConfig } from '../config/ingest-config.ts';
import type { Document } from '../document/document.ts';
import { writeString } from '../document/json-writer.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import { PreviewPublisher } from './preview-publisher.ts';

/** An input document, or the reason why the input is not a document. */
export interface Input {
  readonly text: string;
  readonly document?: Document;
  readonly failure?: Failure & { stage: string };
}

/** Reads the first documents of a connector. Stops reading when there are enough documents. */
export async function readFirst(
  config: ConnectorConfig,
  registry: Registry,
  collector: NoticeCollector,
  limit: number,
  signal: AbortSignal,
): Promise<Input[]> {
  const Class: ConnectorClass = await registry.load(config.entry, 'connector');
  const { name, docIdPrefix } = config;
  const enough = new AbortController();
  const stop = AbortSignal.any([enough.signal, signal]);
  const notices = collector.of({ component: name });
  const context = { name, docIdPrefix, runId: '', log: silentLogger, notices, signal: stop, preview: true };
  const connector = new Class(config.params as never, context);
  const inputs: Input[] = [];
  // Collapsing needs one more document, which shows that the previous one is complete.
  const wanted = config.collapse ? limit + 1 : limit;
  const add = (input: Input) => {
    if (inputs.length < wanted) inputs.push(input);
    if (inputs.length >= wanted) enough.abort('CANCELLED');
  };
  const publisher = new PreviewPublisher(stop, notices, (previewed) => {
    if ('rejected' in previewed) add(rejectedInput(previewed.rejected, name));
    else {
      const { document } = previewed;
      const held = inputs.at(-1)?.document;
      if (config.collapse && held?.id === document.id && inputs.length < wanted) held.setOrAddAll(document);
      else add({ text: '', document });
    }
  });
  try {
    await connector.preExecute?.();
    await connector.execute(publisher);
    await publisher.close();
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    await connector.close?.();
  }
  if (!enough.signal.aborted) {
    // A late call mostly comes from a callback that is already waiting.
    await setImmediate();
    publisher.checkLate();
  }
  return inputs.slice(0, limit).map((input) => ({ ...input, text: input.document?.toJson() ?? input.text }));
}

function rejectedInput({ place, message }: RejectedRecord, connector: string): Input {
  const failure = { stage: connector, code: 'HR_RECORD_UNREADABLE', message: `${place}: ${message}` } as const;
  return { text: writeString(place), failure };
}
