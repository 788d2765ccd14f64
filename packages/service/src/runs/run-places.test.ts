import { expect, it } from 'vitest';
import { RunPlaces } from './run-places.ts';

/** Returns the places after these runs have begun. */
function begun(max: number, ...runs: string[]): RunPlaces<string> {
  const places = new RunPlaces<string>(max);
  for (const _ of runs) places.begin();
  return places;
}

it('a run that waits gives its place back, and continues before a run begins', async () => {
  const places = begun(2, 'rebuild', 'writer');
  expect(places.mayBegin()).toBe(false);
  places.wait('writer');
  expect(places.mayBegin()).toBe(true);
  places.begin();
  expect([places.mayBegin(), places.begun, places.waiting]).toEqual([false, 3, 1]);
  let continues = false;
  const placed = places.whenPlaced('writer').then(() => {
    continues = true;
  });
  expect(places.mayBegin()).toBe(false);
  await Promise.resolve();
  expect(continues).toBe(false);
  places.end('rebuild');
  expect(places.mayBegin()).toBe(false);
  await placed;
  expect(places.waiting).toBe(0);
  places.end('writer');
  expect([places.mayBegin(), places.begun]).toEqual([true, 1]);
});

it('a run that ends while it waits leaves no trace', () => {
  const places = begun(1, 'writer');
  places.wait('writer');
  void places.whenPlaced('writer');
  places.end('writer');
  expect(places.begun).toBe(0);
  places.begin();
  expect(places.mayBegin()).toBe(false);
});

it('no run begins while sixteen wait, because each has a thread', () => {
  const places = new RunPlaces<number>(2);
  let waiting = 0;
  while (places.mayBegin()) {
    places.begin();
    places.wait(++waiting);
  }
  expect(waiting).toBe(16);
  places.end(1);
  expect(places.mayBegin()).toBe(true);
});
