import { hash } from 'node:crypto';
import { type IndexAdmin, inPath } from './index-admin.ts';
import type { Json } from './types.ts';

/** Changes if a program changes an index. */
export interface IndexFingerprint {
  /** The ids of the indices of a name. A new index has a new id. */
  readonly uuids: string;
  /** A hash of the mappings. Documents with new fields change them, too. */
  readonly definition: string;
  /** A hash of what else the search engine makes of a document: analysis and ingest pipelines. */
  readonly processing: string;
  /** The number of all writes and deletions. */
  readonly writes: number;
}

/** What has happened to an index that differs from what a run has made. */
export const CREATED = 'the index was created again';
export const DEFINED = 'its mappings, analysis or ingest pipelines have changed';

interface ShardStats {
  readonly indices?: Readonly<
    Record<string, { readonly uuid?: string; readonly shards?: Readonly<Record<string, readonly ShardCopy[]>> }>
  >;
}

interface ShardCopy {
  readonly routing: { readonly primary: boolean };
  readonly seq_no?: { readonly max_seq_no: number };
}

export async function fingerprintOf(admin: IndexAdmin, index: string): Promise<IndexFingerprint> {
  const path = `/${inPath(index)}`;
  const [settings, mappings, { writes }] = await Promise.all([
    admin.ask<Record<string, { settings: Json }>>('GET', `${path}/_settings?flat_settings=true`),
    admin.ask('GET', `${path}/_mapping`),
    writesOf(admin, index),
  ]);
  const all = Object.values(settings).flatMap((one) => Object.entries(one.settings));
  const uuids = all.flatMap(([name, value]) => (name === 'index.uuid' ? [value] : []));
  const analysis = all.filter(([name]) => name.startsWith('index.analysis.'));
  const names = new Set(
    all.flatMap(([name, value]) => (/^index\.(default|final)_pipeline$/.test(name) ? [value] : [])),
  );
  const pipelines: unknown[] = [];
  for (const name of [...names].toSorted())
    pipelines.push(await admin.find('GET', `/_ingest/pipeline/${inPath(`${name}`)}`));
  return {
    uuids: uuids.toSorted().join(' '),
    definition: hash('sha256', JSON.stringify(mappings)),
    processing: hash('sha256', JSON.stringify([analysis.toSorted(), pipelines])),
    writes,
  };
}

/** Returns the number of all writes and deletions of an index, and its id. */
export async function writesOf(admin: IndexAdmin, index: string): Promise<{ writes: number; uuid: string }> {
  const parts = ['uuid', 'shards.*.routing.primary', 'shards.*.seq_no'].map((part) => `indices.*.${part}`);
  const path = `/${inPath(index)}/_stats?level=shards&filter_path=${parts.join()}`;
  const all = Object.values((await admin.ask<ShardStats>('GET', path)).indices ?? {});
  const copies = all.flatMap(({ shards = {} }) => Object.values(shards).flat());
  // Each write or deletion in a shard has the next number, from 0. A shard without writes has -1.
  const writes = copies.reduce(
    (sum, { routing, seq_no }) => sum + (routing.primary ? (seq_no?.max_seq_no ?? -1) + 1 : 0),
    0,
  );
  return { writes, uuid: all.map(({ uuid = '' }) => uuid).join(' ') };
}

/**
 * Returns why an index may have other documents than a run has written; undefined if it has not.
 * @param written how many documents the index has at least acknowledged
 * @param sent how many documents it may have written
 */
export function doubtOf(
  before: IndexFingerprint,
  now: IndexFingerprint,
  written: number,
  sent: number,
): string | undefined {
  if (before.uuids !== now.uuids) return CREATED;
  // The run itself changes mappings, if they are dynamic.
  if (before.processing !== now.processing) return DEFINED;
  if (now.writes > before.writes + sent) return 'another program has written to it';
  return now.writes < before.writes + written ? 'the search engine has lost writes' : undefined;
}
