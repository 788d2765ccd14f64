import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEDULE_DEFAULTS, SCHEDULE_OVERLAPS, type ScheduleSettings } from '../api/schedule.ts';
import { timingProblem } from '../schedules/cron-times.ts';
import type { Entry, YamlReader } from './yaml-reader.ts';

const KEYS = ['config', 'cron', 'timezone', 'enabled', 'overlap', 'catchUp', 'labels'];

/** Reads `schedules`: the schedules of presets, by the name of the preset. */
export function readSchedules(
  reader: YamlReader,
  entry: Entry | undefined,
  { presets, minSeconds, prevented }: { presets: string | undefined; minSeconds: number; prevented: boolean },
): Map<string, ScheduleSettings> {
  const schedules = new Map<string, ScheduleSettings>();
  for (const item of reader.list(entry)) {
    const keys = reader.map(item, KEYS);
    for (const key of ['config', 'cron'] as const) {
      if (!keys.has(key)) reader.error(item, `${item.path} has no ${key}`, 'config is the name of a preset.');
    }
    const config = reader.text(keys.get('config'));
    const settings = readSettings(reader, keys, minSeconds);
    if (config === undefined || settings === undefined) continue;
    if (settings.overlap === 'allow' && prevented) {
      reader.error(keys.get('overlap') as Entry, 'preventConcurrentRuns does not allow this', 'Write queue or skip.');
    }
    const place = keys.get('config') as Entry;
    if (presets === undefined || !existsSync(join(presets, config))) {
      const hint = 'Schedules of the service file are for presets (presetConfig); set others with the API.';
      reader.error(place, `There is no preset ${config}`, hint);
    }
    if (schedules.has(config)) reader.error(place, `${config} has two schedules`, 'Remove one of them.');
    schedules.set(config, settings);
  }
  return schedules;
}

function readSettings(
  reader: YamlReader,
  keys: ReadonlyMap<string, Entry>,
  minSeconds: number,
): ScheduleSettings | undefined {
  const cron = reader.text(keys.get('cron'));
  const timezone = reader.text(keys.get('timezone')) ?? SCHEDULE_DEFAULTS.timezone;
  const enabled = reader.flag(keys.get('enabled')) ?? SCHEDULE_DEFAULTS.enabled;
  const overlap = reader.choice(keys.get('overlap'), SCHEDULE_OVERLAPS) ?? SCHEDULE_DEFAULTS.overlap;
  const catchUp = reader.flag(keys.get('catchUp')) ?? SCHEDULE_DEFAULTS.catchUp;
  const labels = readLabels(reader, keys.get('labels'));
  if (cron === undefined) return undefined;
  const problem = timingProblem({ cron, timezone }, minSeconds);
  const wrong = problem && keys.get(problem.setting);
  if (problem !== undefined && wrong !== undefined) reader.error(wrong, problem.message, problem.hint);
  return { cron, timezone, enabled, overlap, catchUp, labels };
}

function readLabels(reader: YamlReader, entry: Entry | undefined): Record<string, string> {
  const labels = new Map<string, string>();
  for (const [name, value] of reader.anyMap(entry)) {
    if (/^[^:]{1,100}$/.test(name)) labels.set(name, reader.text(value) ?? '');
    else reader.error(value, `${value.path} is not a label`, 'A label has 1 to 100 characters, without colons.');
  }
  return Object.fromEntries(labels);
}
