import { isTransient } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, expect, vi } from 'vitest';
import { HttpClient, type HttpClientOptions } from './http-client.ts';
import { HttpError } from './http-error.ts';

const closing = new Set<{ close(): Promise<void> }>();

afterEach(async () => {
  vi.unstubAllEnvs();
  // Close clients before their servers.
  for (const one of [...closing].reverse()) await one.close();
  closing.clear();
});

/** Closes a server or a client at the end of the test. */
export function closeAtEnd<T extends { close(): Promise<void> }>(one: T): T {
  closing.add(one);
  return one;
}

/** Starts a server that is closed at the end of the test. */
export async function serve(handler: StubHandler): Promise<StubServer> {
  return closeAtEnd(await StubServer.start(handler));
}

/** Opens a client that is closed at the end of the test. */
export async function open(options: HttpClientOptions = {}): Promise<HttpClient> {
  return closeAtEnd(await HttpClient.open(options));
}

export const QUICK = { retries: 3, initialDelay: 1, maxDelay: 5, statuses: isTransient };

/** Returns the error of a request that must fail. */
export async function failure(request: Promise<unknown>): Promise<HttpError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpError);
  return error as HttpError;
}
