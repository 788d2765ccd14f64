import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '../component/registry.ts';
import { displayName } from '../config/check-component.ts';
import { checkConfig } from '../config/check-config.ts';
import type { ConnectorConfig } from '../config/ingest-config.ts';
import type { ReachRequest } from '../config/reach-config.ts';
import type { Problem } from '../errors/problem.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { noticeText } from '../notices/notice-text.ts';
import { readFirst } from './first-records.ts';

/** The number of records of each connector that are read. */
const RECORDS = 10;
/** The maximum time for a source. A source that waits for new records has none. */
const SOURCE_MILLIS = 5000;

/**
 * Reads the first records of each connector, as a preview does, and returns what the connectors report about them as
 * warnings. The stages do not run, because they may use services that cost money.
 */
export async function firstNotices({ root, registry: source }: ReachRequest, signal: AbortSignal): Promise<Problem[]> {
  const registry = await Registry.open(source);
  const { config } = await checkConfig(root, registry);
  const found = await Promise.all((config?.connectors ?? []).map((one) => noticesOf(one, registry, signal)));
  return found.flat();
}

async function noticesOf(connector: ConnectorConfig, registry: Registry, signal: AbortSignal): Promise<Problem[]> {
  // A connector without a pipeline reads no records.
  if (connector.pipeline === undefined) return [];
  const collector = new NoticeCollector();
  const late = AbortSignal.any([signal, AbortSignal.timeout(SOURCE_MILLIS)]);
  // The check of the connections reports errors of the source. A connector that does not stop ends with its thread.
  const reading = readFirst(connector, registry, collector, RECORDS, late).catch(() => undefined);
  await Promise.race([reading, sleep(SOURCE_MILLIS, undefined, { ref: false })]);
  return collector.list().map((notice) => ({
    severity: 'warning',
    code: 'HR_CONFIG_NOTICES',
    path: connector.path,
    component: displayName(connector.entry.name, connector.name),
    message: `Notice in the first records: ${noticeText(notice)}`,
    ...(notice.meaning === undefined ? {} : { hint: notice.meaning }),
  }));
}
