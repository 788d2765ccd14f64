import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { PreviewThread } from './preview-thread.ts';
import type { PreviewRequest } from './run-request.ts';

/** The part of a thread that is used here. */
function thread(): Worker {
  const worker = Object.assign(new EventEmitter(), { ref() {}, unref() {} });
  return worker as unknown as Worker;
}

function request(over: Partial<PreviewRequest> = {}, modules: string[] = []): PreviewRequest {
  const registry = { catalogs: ['file:///catalog.json'], modules, base: 'file:///', allowModules: false };
  return { root: {} as PreviewRequest['root'], registry, ...over };
}

it('a preview gets the thread of the previous one, and no other preview gets it at the same time', () => {
  const previews = new PreviewThread();
  const worker = thread();
  expect(previews.take(request())).toBeUndefined();
  expect(previews.keep(worker, request())).toBe(true);
  expect(previews.keep(thread(), request())).toBe(false);
  expect(previews.take(request())).toBe(worker);
  expect(previews.take(request())).toBeUndefined();
  expect(worker.listenerCount('exit')).toBe(0);
});

it('a preview with another policy or user, a trusted config and custom modules get a new thread', () => {
  const previews = new PreviewThread();
  const trusted = request({ trusted: true });
  const custom = request({}, ['./my-stage.js']);
  expect(previews.keep(thread(), trusted)).toBe(false);
  expect(previews.keep(thread(), custom)).toBe(false);
  expect(previews.keep(thread(), request())).toBe(true);
  const strict = request();
  const other = { ...strict, registry: { ...strict.registry, base: 'file:///other/' } };
  for (const each of [trusted, custom, other, request({ user: 'ada' })]) expect(previews.take(each)).toBeUndefined();
  expect(previews.take(strict)).toBeDefined();
});

it('a thread that has ended, or has served many previews, is not kept', () => {
  const previews = new PreviewThread();
  const lost = thread();
  previews.keep(lost, request());
  lost.emit('exit', 1);
  expect(previews.take(request())).toBeUndefined();
  const worker = thread();
  let served = 0;
  while (previews.keep(worker, request()) && previews.take(request()) === worker) served++;
  expect(served).toBe(199);
});
