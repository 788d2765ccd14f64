import type { CheckResult } from '@headrace/engine';
import { deleteWithinLimit, type Missing } from './deletion-check.ts';
import type { DocumentHashes } from './document-hashes.ts';
import { type IndexAdmin, inPath } from './index-admin.ts';
import { ReindexError } from './reindex-error.ts';
import type { FinishedRun, Json, Log } from './types.ts';

/** How many documents are deleted in one request. */
const PAGE = 2000;

interface FinishedSync {
  readonly admin: IndexAdmin;
  readonly index: string;
  /** The hashes of the documents, if unchanged documents keep the `run_id` of an earlier run. */
  readonly hashes?: DocumentHashes | undefined;
  /** Defaults to 20. */
  readonly maxDeletePercent: number | undefined;
  /** A query for the documents of the source. Defaults to all documents. */
  readonly where: Json | undefined;
  readonly runId: string;
  readonly run: FinishedRun;
  /** The codes of notices of the class loss that the run may have. Defaults to none. */
  readonly allowNotices: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Deletes the documents of a source that a complete run did not write, within the limit. */
export async function deleteMissing({
  admin,
  index,
  hashes,
  maxDeletePercent,
  where = { match_all: {} },
  runId,
  run,
  allowNotices,
  signal,
  log,
}: FinishedSync): Promise<CheckResult> {
  const find = async () =>
    hashes?.isComplete === true
      ? unseen(hashes, admin, index, signal)
      : unwritten({ admin, index, where, runId, signal, hashes });
  const check = await deleteWithinLimit({ maxDeletePercent, run, allowNotices, noun: 'document', find });
  if (check.outcome === 'passed') hashes?.complete();
  const text = `deleteMissing: ${check.found}`;
  if (check.outcome === 'not run') log.warn(text);
  else log.info(text);
  return check;
}

/** Returns the documents that do not have the id of the run. */
async function unwritten({
  admin,
  index,
  where,
  runId,
  signal,
  hashes,
}: Pick<FinishedSync, 'admin' | 'index' | 'runId' | 'signal' | 'hashes'> & {
  readonly where: Json;
}): Promise<Missing> {
  const path = `/${inPath(index)}`;
  await admin.ask('POST', `${path}/_refresh`, undefined, signal);
  const written = { term: { [await keywordOfRun(admin, index)]: runId } };
  const missing = { bool: { filter: [where], must_not: [written] } };
  const count = async (query: Json) =>
    (await admin.ask<{ count: number }>('POST', `${path}/_count`, { query }, signal)).count;
  const [all, old] = [await count(where), await count(missing)];
  const deleteMissing = async () => {
    const deleted = await deleteAll(admin, path, missing, signal);
    hashes?.deleted(deleted);
    return deleted;
  };
  return { all, old, deleteAll: deleteMissing };
}

/** Returns the documents with a hash that the run has not seen. */
function unseen(hashes: DocumentHashes, admin: IndexAdmin, index: string, signal: AbortSignal): Missing {
  const { all, missing: old } = hashes.count();
  const deleteAll = async () => {
    let total = 0;
    for (;;) {
      const keys = hashes.missing(PAGE);
      if (keys.length === 0) break;
      // A key is read from bytes as Latin-1.
      const lines = keys.map((key) => `{"delete":{"_index":${JSON.stringify(index)},"_id":${utf8(key)}}}\n`);
      total += await bulkDelete(admin, lines.join(''), signal);
      hashes.forget(keys);
    }
    hashes.deleted(total);
    return total;
  };
  return { all, old, deleteAll };
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}

interface Hit {
  readonly _id: string;
  readonly _index: string;
  readonly _routing?: string;
  readonly _seq_no: number;
  readonly _primary_term: number;
}

/** Deletes what a query finds, page by page. A document that another program changes in the meantime stays. */
async function deleteAll(admin: IndexAdmin, path: string, query: Json, signal: AbortSignal): Promise<number> {
  const body = { size: PAGE, query, _source: false, seq_no_primary_term: true, sort: ['_doc'] };
  for (let total = 0; ; ) {
    const { hits } = await admin.ask<{ hits: { hits: Hit[] } }>('POST', `${path}/_search`, body, signal);
    if (hits.hits.length === 0) return total;
    const lines = hits.hits.map(({ _id, _index, _routing: routing, _seq_no, _primary_term }) =>
      JSON.stringify({ delete: { _id, _index, routing, if_seq_no: _seq_no, if_primary_term: _primary_term } }),
    );
    const deleted = await bulkDelete(admin, `${lines.join('\n')}\n`, signal);
    total += deleted;
    // Another program is changing all documents of this page.
    if (deleted === 0) return total;
    await admin.ask('POST', `${path}/_refresh`, undefined, signal);
  }
}

/** Returns how many documents were deleted. A document that is gone or that another program has changed does not count. */
async function bulkDelete(admin: IndexAdmin, body: string, signal: AbortSignal): Promise<number> {
  const { items } = await admin.bulk<{ items: { delete: { status: number; error?: { reason?: string } } }[] }>(
    body,
    signal,
  );
  const refused = items.find(({ delete: { status } }) => status >= 400 && status !== 404 && status !== 409);
  if (refused !== undefined) {
    const why = refused.delete.error?.reason ?? refused.delete.status;
    throw new ReindexError(`A document that the source no longer has cannot be deleted: ${why}`);
  }
  return items.filter(({ delete: { status } }) => status === 200).length;
}

/** Returns the name of the field that finds exactly one run. */
async function keywordOfRun(admin: IndexAdmin, index: string): Promise<string> {
  const path = `/${inPath(index)}/_mapping/field/run_id,run_id.keyword`;
  const answer = await admin.ask<
    Record<string, { mappings: Record<string, { mapping: Record<string, { type?: string }> }> }>
  >('GET', path);
  const all = Object.values(answer).map(({ mappings }) => mappings);
  for (const field of ['run_id', 'run_id.keyword']) {
    const types = all.map((mappings) => Object.values(mappings[field]?.mapping ?? {})[0]?.type);
    if (types.length > 0 && types.every((type) => type === 'keyword')) return field;
  }
  throw new ReindexError(
    `The field run_id of ${index} is not a keyword, so deleteMissing cannot find old documents`,
    'Map run_id as keyword, for example in create.mappings.',
  );
}
