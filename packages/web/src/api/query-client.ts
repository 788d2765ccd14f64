import { ApiError } from '@headrace/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/svelte-query';
import { connection } from './connection.svelte.ts';

const MAX_TRIES = 3;

/** Returns whether the service gave no answer: it is down, or a proxy before it could not reach it. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ApiError && error.status >= 502);
}

function onError(error: unknown): void {
  if (isUnreachable(error)) connection.reportLoss();
}

/** Caches the answers of the service. Refusals are not tried again, because the same request gets the same answer. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (tries, error) => tries < MAX_TRIES && error instanceof ApiError && error.status === 429,
      staleTime: 2_000,
    },
    mutations: { retry: false },
  },
});

connection.onReturn(() => void queryClient.invalidateQueries());
