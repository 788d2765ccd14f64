import type { Input } from '@headrace/client';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/svelte-query';
import { session } from './session.svelte.ts';
import type { ComponentInfo, ConfigPage, FailurePage, RunPage, RunStatus } from './types.ts';

/** Items per request in long lists. */
const PAGE = 200;
/** How often live lists are requested again. */
export const LIVE_MILLIS = 2_000;

/** The filters of the list of runs. An empty value does not filter. */
export interface RunFilter {
  readonly configId: string;
  readonly status: readonly RunStatus[];
  readonly label: string;
  readonly requestedBy: string;
  readonly since: string;
  readonly until: string;
}

export const noRunFilter: RunFilter = { configId: '', status: [], label: '', requestedBy: '', since: '', until: '' };

/** All runs that match the filter, newest first, in pages. */
export function runsQuery(filter: RunFilter, limit = PAGE) {
  return infiniteQueryOptions({
    queryKey: ['runs', 'list', filter, limit],
    queryFn: async ({ pageParam, signal }): Promise<RunPage> => {
      const query: Input<'GET /v1/run'>['query'] = { limit, after: pageParam, ...given(filter) };
      return (await session.client.call('GET /v1/run', { query, signal })) as RunPage;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    // A long list is not requested again while a user scrolls through it.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIVE_MILLIS : false),
  });
}

/** A run that is shown beside another one. A finished run does not change. */
export function runQuery(id: string) {
  return queryOptions({
    queryKey: ['runs', 'details', id],
    enabled: id !== '',
    queryFn: ({ signal }) => session.client.call('GET /v1/run/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.done === false ? LIVE_MILLIS : false),
  });
}

/** The text of a version of a config, with secrets masked. A preset and the config of a request have none. */
export function configTextQuery(id: string, version: number | null) {
  return queryOptions({
    queryKey: ['configs', 'text', id, version],
    enabled: version !== null,
    queryFn: async ({ signal }) => {
      const query = { version: version as number };
      return (await session.client.request('GET /v1/config/{id}/text', { path: { id }, query, signal })).text;
    },
  });
}

/** The largest groups of failed documents of a run, optionally only those that failed at one place. */
export function failureGroupsQuery(id: string, { at = '', live = false }: { at?: string; live?: boolean } = {}) {
  return queryOptions({
    queryKey: ['runs', 'failure-groups', id, at, live],
    enabled: id !== '',
    queryFn: ({ signal }) =>
      session.client.call('GET /v1/run/{id}/failures/groups', {
        path: { id },
        query: at === '' ? {} : { at },
        signal,
      }),
    refetchInterval: live ? LIVE_MILLIS : false,
  });
}

/** Failed documents per request. The service sends fewer if they are large. */
const FAILURE_PAGE = 500;

/** A page of a group of failed documents. */
export function failuresQuery(id: string, group: string, after: string | undefined) {
  return queryOptions({
    queryKey: ['runs', 'failures', id, group, after],
    queryFn: ({ signal }) => failurePage(id, group, after, signal),
  });
}

/** A failed document in a list: what identifies it, and where it is among the pages. */
export interface FailureRow {
  readonly id: string;
  readonly message: string;
  /** The cursor of its page, and its position there. */
  readonly after: string | undefined;
  readonly index: number;
}

/** All failed documents of a group without their contents, in pages. */
export function failureRowsQuery(id: string, group: string, live: boolean) {
  return infiniteQueryOptions({
    queryKey: ['runs', 'failure-rows', id, group],
    queryFn: async ({ pageParam, signal }): Promise<{ rows: readonly FailureRow[]; next: string | undefined }> => {
      const { items, next } = await failurePage(id, group, pageParam, signal);
      const rows = items.map((item, index) => ({ id: item.id, message: item.message, after: pageParam, index }));
      return { rows, next: next ?? undefined };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    // Stored failures do not change. A long list is not requested again while a user scrolls through it.
    staleTime: live ? LIVE_MILLIS : Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (live && (state.data?.pages.length ?? 0) <= 1 ? LIVE_MILLIS : false),
  });
}

function failurePage(id: string, group: string, after: string | undefined, signal: AbortSignal): Promise<FailurePage> {
  return session.client.call('GET /v1/run/{id}/failures', {
    path: { id },
    query: { limit: FAILURE_PAGE, after, group },
    signal,
  });
}

/** The counts of a run over time. */
export function samplesQuery(id: string, live: boolean) {
  return queryOptions({
    queryKey: ['runs', 'samples', id, live],
    queryFn: ({ signal }) => session.client.call('GET /v1/run/{id}/samples', { path: { id }, signal }),
    refetchInterval: live ? LIVE_MILLIS : false,
  });
}

/** All configs with a label and a text in their name or description, in pages. Without their content. */
export function configsQuery(label = '', text = '') {
  return infiniteQueryOptions({
    queryKey: ['configs', 'list', label, text],
    queryFn: async ({ pageParam, signal }): Promise<ConfigPage> => {
      const filter = { ...(label === '' ? {} : { label: [label] }), ...(text === '' ? {} : { q: text }) };
      const query = { limit: PAGE, after: pageParam, content: false, ...filter };
      return (await session.client.call('GET /v1/config', { query, signal })) as ConfigPage;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    // The last runs change. A long list is not requested again while a user scrolls through it.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? 10_000 : false),
    // While somebody types, the configs of the text before stay visible.
    placeholderData: keepPreviousData,
  });
}

/** All components of a service. They do not change while it runs. */
export const componentsQuery = queryOptions({
  queryKey: ['components'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<readonly ComponentInfo[]> => {
    const lists = await Promise.all([
      session.client.call('GET /v1/config-info/connector-list', { signal }),
      session.client.call('GET /v1/config-info/stage-list', { signal }),
      session.client.call('GET /v1/config-info/indexer-list', { signal }),
    ]);
    return lists.flat();
  },
});

/** The JSON Schema of a config. */
export const schemaQuery = queryOptions({
  queryKey: ['schema'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) =>
    (await session.client.call('GET /v1/config-info/schema', { signal })) as Readonly<Record<string, unknown>>,
});

export const systemQuery = queryOptions({
  queryKey: ['system', 'stats'],
  queryFn: ({ signal }) => session.client.call('GET /v1/systemstats', { signal }),
  refetchInterval: LIVE_MILLIS,
});

export const systemHistoryQuery = queryOptions({
  queryKey: ['system', 'history'],
  queryFn: ({ signal }) => session.client.call('GET /v1/systemstats/history', { signal }),
  refetchInterval: 10_000,
});

export const metricsQuery = queryOptions({
  queryKey: ['system', 'metrics'],
  queryFn: ({ signal }) => session.client.call('GET /v1/systemstats/metrics', { signal }),
  refetchInterval: LIVE_MILLIS,
});

export const versionQuery = queryOptions({
  queryKey: ['system', 'version'],
  queryFn: ({ signal }) => session.client.call('GET /v1/version', { signal }),
});

export const readinessQuery = queryOptions({
  queryKey: ['system', 'readiness'],
  queryFn: ({ signal }) => session.client.call('GET /v1/readyz', { query: { verbose: true }, signal }),
  refetchInterval: 5_000,
});

/** The files that users uploaded. */
export const filesQuery = queryOptions({
  queryKey: ['files'],
  queryFn: ({ signal }) => session.client.call('GET /v1/file', { signal }),
});

/** Returns the filters that have a value, as the service takes them. */
function given({ configId, status, label, requestedBy, since, until }: RunFilter) {
  const texts = Object.entries({ configId, requestedBy, since, until }).filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(texts),
    ...(status.length === 0 ? {} : { status }),
    ...(label === '' ? {} : { label: [label] }),
  };
}
