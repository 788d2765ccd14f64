import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../../bench/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const path = join(folder, 'results.json');
  writeFileSync(path, text);
  return path;
}

describe('the benchmark', () => {
  it.each<[what: string, args: string[], expected: RegExp]>([
    ['groups', ['micro', 'nope', 'neither'], /^There is no group nope, neither: throughput, /],
    ['an option', ['--nope'], /^Unknown option '--nope'/],
    ['a place to save', ['micro', '--save', join(folder, 'missing', 'x.json')], /^Cannot save the results: ENOENT/],
    ['a file to compare', ['micro', '--compare', join(folder, 'missing.json')], /^ENOENT/],
    ['results to compare', ['micro', '--compare', fileWith('{}')], /has no results in it/],
  ])('rejects an invalid argument before it measures: %s', (_, args, expected) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(bench, 'index.mjs'), ...args], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('    at ');
  });

  it('lists its groups with --list', () => {
    const { status, stdout } = spawnSync(process.execPath, [join(bench, 'index.mjs'), '--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain('  kills       200 random kills');
  });

  it('keeps the old file of results until new results are complete', () => {
    const path = fileWith('[{"job":"a"}]');
    spawnSync(process.execPath, [join(bench, 'index.mjs'), 'nope', '--save', path]);
    spawnSync(process.execPath, [join(bench, 'index.mjs'), '--help', '--save', path]);
    expect(readFileSync(path, 'utf8')).toBe('[{"job":"a"}]');
  });
});

describe('results', async () => {
  const { missingJobs, tableRow } = await import(pathToFileURL(join(bench, 'results.mjs')).href);
  const before = [
    { group: 'g', job: 'speed', value: 1000, unit: 'docs/s', peak: 100 },
    { group: 'g', job: 'time', value: 10, unit: 'ms' },
    { group: 'g', job: 'gone', value: 1, unit: 's' },
    { group: 'other', job: 'elsewhere', value: 1, unit: 's' },
  ];

  it.each([
    [
      { job: 'speed', value: 800, unit: 'docs/s', peak: 100 },
      { change: '-20.0 %', 'peak change': '0.0 %', worse: 'value' },
    ],
    [
      { job: 'speed', value: 1500, unit: 'docs/s', peak: 150, goal: '< 350 MiB' },
      { change: '50.0 %', worse: 'memory' },
    ],
    [
      { job: 'speed', value: 950, unit: 'docs/s', peak: 105 },
      { change: '-5.0 %', worse: '' },
    ],
    [
      { job: 'time', value: 12, unit: 'ms' },
      { change: '20.0 %', 'peak change': '', worse: 'value' },
    ],
    [
      { job: 'time', value: 5, unit: 'ms' },
      { change: '-50.0 %', worse: '' },
    ],
    [
      { job: 'new', value: 5, unit: 'ms' },
      { change: '', worse: '' },
    ],
  ])('report a regression: %j', (row, expected) => {
    expect(tableRow(row, before)).toMatchObject(expected);
  });

  it('report jobs that are missing on one side, within the measured groups', () => {
    const now = [
      { group: 'g', job: 'speed', value: 1, unit: 'docs/s' },
      { group: 'g', job: 'time', error: 'lost' },
      { group: 'g', job: 'new', value: 1, unit: 's' },
    ];
    expect(missingJobs(now, before, ['g'])).toEqual(['only before: time', 'only before: gone', 'only now: new']);
    expect(missingJobs(now, undefined, ['g'])).toEqual([]);
  });
});
