import { afterEach, expect, it, vi } from 'vitest';
import { onStopSignal, type StopSignal } from './stop-signals.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('a signal soon after the first is the same one, because launchers forward it; a later one ends the process', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const others = process.listeners('SIGINT');
  const stopped: string[] = [];
  const remove = onStopSignal((signal) => stopped.push(signal));
  const [handle] = process.listeners('SIGINT').filter((listener) => !others.includes(listener));
  handle?.('SIGINT');
  vi.advanceTimersByTime(500);
  handle?.('SIGINT');
  expect({ stopped, killed: kill.mock.calls }).toEqual({ stopped: ['SIGINT'], killed: [] });
  vi.advanceTimersByTime(1);
  handle?.('SIGINT');
  expect({ stopped, killed: kill.mock.calls }).toEqual({ stopped: ['SIGINT'], killed: [[process.pid, 'SIGINT']] });
  expect(process.listeners('SIGINT')).toEqual(others);
  remove();
});

it('a second SIGHUP does not end the process, because a closed terminal may send several', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const others = process.listeners('SIGHUP');
  const stopped: string[] = [];
  const remove = onStopSignal((signal) => stopped.push(signal));
  const handles = process.listeners('SIGHUP') as ((signal: StopSignal) => void)[];
  const [handle] = handles.filter((listener) => !others.includes(listener as never));
  handle?.('SIGHUP');
  vi.advanceTimersByTime(10_000);
  handle?.('SIGHUP');
  expect({ stopped, killed: kill.mock.calls }).toEqual({ stopped: ['SIGHUP'], killed: [] });
  handle?.('SIGTERM');
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']]);
  remove();
});

it('SIGHUP stops nothing if it has another meaning', () => {
  const stops: string[] = [];
  const others = process.listeners('SIGHUP');
  let isAboutPresets = true;
  const remove = onStopSignal(
    (signal) => stops.push(signal),
    () => isAboutPresets,
  );
  const [handle] = (process.listeners('SIGHUP') as ((signal: StopSignal) => void)[]).filter(
    (listener) => !others.includes(listener as NodeJS.SignalsListener),
  );
  handle?.('SIGHUP');
  expect(stops).toEqual([]);
  isAboutPresets = false;
  handle?.('SIGHUP');
  remove();
  expect(stops).toEqual(['SIGHUP']);
});
