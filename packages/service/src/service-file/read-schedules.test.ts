import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProblem } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { readServiceFile } from './read-service-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-service-file-'));
const file = join(directory, 'service.yml');
writeFileSync(join(directory, 'films.conf'), '');

afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(schedule: string, more = '') {
  writeFileSync(file, `presetConfig: { configDirectoryPath: ${directory} }\nschedules: [${schedule}]\n${more}`);
  const { settings, problems } = await readServiceFile(file);
  return { settings, problems: problems.map((problem) => formatProblem(problem).replace(file, 'service.yml')) };
}

describe('schedules in the service file', () => {
  it('are set with defaults', async () => {
    const all = 'timezone: Europe/Berlin, enabled: false, overlap: queue, catchUp: true, labels: { job: nightly }';
    expect((await read('{ config: films.conf, cron: "0 3 * * *" }')).settings?.schedules.get('films.conf')).toEqual({
      cron: '0 3 * * *',
      timezone: 'UTC',
      enabled: true,
      overlap: 'skip',
      catchUp: false,
      labels: {},
    });
    const { settings, problems } = await read(`{ config: films.conf, cron: "*/5 * * * *", ${all} }`);
    expect(problems).toEqual([]);
    expect(settings?.schedules.get('films.conf')).toEqual({
      cron: '*/5 * * * *',
      timezone: 'Europe/Berlin',
      enabled: false,
      overlap: 'queue',
      catchUp: true,
      labels: { job: 'nightly' },
    });
  });

  it.each([
    ['{ cron: "0 3 * * *" }', 'service.yml:2:13: error: schedules[0] has no config'],
    ['{ config: films.conf }', 'schedules[0] has no cron'],
    ['{ config: films.conf, cron: "0 24 * * *" }', 'The hour 24 of the cron expression is not valid'],
    ['{ config: films.conf, cron: "*/5 * * * * *" }', 'the limit is 60 seconds'],
    ['{ config: films.conf, cron: "0 3 * * *", timezone: CEST1 }', 'There is no time zone "CEST1"'],
    ['{ config: films.conf, cron: "0 3 * * *", overlap: never }', 'is not skip, allow, refuse or queue'],
    ['{ config: gone.conf, cron: "0 3 * * *" }', 'There is no preset gone.conf'],
    ['{ config: films.conf, cron: "0 3 * * *", labels: { "a:b": c } }', 'schedules[0].labels.a:b is not a label'],
    ['{ config: films.conf, cron: "0 3 * * *", when: now }', 'Unknown key when'],
    ['{ config: films.conf, cron: "0 3 * * *" }, { config: films.conf, cron: "0 4 * * *" }', 'has two schedules'],
  ])('are refused: %s', async (schedule, message) => {
    const { settings, problems } = await read(schedule);
    expect(settings).toBeUndefined();
    expect(problems.join('\n')).toContain(message);
  });

  it('must not allow what preventConcurrentRuns does not', async () => {
    const { problems } = await read(
      '{ config: films.conf, cron: "0 3 * * *", overlap: allow }',
      'preventConcurrentRuns: true',
    );
    expect(problems.join()).toContain('preventConcurrentRuns does not allow this');
  });

  it('may come more often if the limit allows it', async () => {
    const { problems } = await read('{ config: films.conf, cron: "* * * * * *" }', 'limits: { minScheduleSeconds: 1 }');
    expect(problems).toEqual([]);
  });
});
