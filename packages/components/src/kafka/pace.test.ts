import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

/** Simulates a destination with a fixed rate, in messages per second, and sends as much as `Pace` allows. */
function run(perSecond: number, seconds: number, pace: Pace, clock: { millis: number }) {
  let inProgress = 0;
  let most = 0;
  for (let tick = 0; tick < seconds * 20; tick++) {
    while (pace.hasCapacity && inProgress < 100_000) {
      pace.sent(pace.piece);
      inProgress += pace.piece;
    }
    most = tick < seconds * 10 ? 0 : Math.max(most, inProgress);
    clock.millis += 50;
    const done = Math.min(inProgress, perSecond / 20);
    inProgress -= done;
    pace.finished(done);
  }
  const { piece } = pace;
  pace.finished(inProgress);
  return { most, piece };
}

describe('Pace', () => {
  const clock = { millis: 0 };
  const newPace = () => new Pace(() => clock.millis);

  it('sends the messages of an eighth of a second immediately, and keeps those of four seconds in progress', () => {
    const pace = newPace();
    const { most, piece } = run(2000, 10, pace, clock);
    expect(piece).toBe(250);
    expect(most).toBeGreaterThan(7000);
    expect(most).toBeLessThan(9000);
  });

  it('sends single messages to a very slow destination', () => {
    expect(run(10, 60, newPace(), clock).piece).toBe(1);
  });

  it('increases the rate soon after a slow start', () => {
    const pace = newPace();
    run(20, 30, pace, clock);
    expect(run(40_000, 3, pace, clock).piece).toBe(1000);
  });
});
