import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFiles, SEQUENCE } from './fixtures.ts';
import { binary, directoryWith, headrace, installHeadrace, type Outcome, start } from './headrace.ts';

function prepare(connector: string, stages?: string): string {
  const cwd = directoryWith(configFiles(connector, stages));
  installHeadrace(cwd);
  return cwd;
}

function lines(directory: string, file: string): Record<string, unknown>[] {
  const text = readFileSync(join(directory, file), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

function logs({ stderr }: Outcome): Record<string, unknown>[] {
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

describe('run', () => {
  it('writes documents to the file, the summary to standard output and JSON logs to standard error', async () => {
    const cwd = prepare(SEQUENCE, '{ class: SetStaticValues, staticValues { colour: red } }');
    const outcome = await headrace(['run', 'a.conf'], { cwd });
    expect(outcome.stdout).toMatch(
      /^\n\nRUN SUMMARY: Success\. 1\/1 connectors complete\. All published docs succeeded\.\n\nsource: complete\. 5 docs succeeded\. 0 docs failed\. 0 docs dropped\. Time: \d+\.\d\d secs\.\n\nRun took \d+\.\d\d secs\.\n$/,
    );
    expect(outcome.code).toBe(0);
    expect(lines(cwd, 'out.jsonl').map(({ id, colour }) => [id, colour])).toEqual(
      [0, 1, 2, 3, 4].map((i) => [String(i), 'red']),
    );
    const records = logs(outcome);
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(records.length);
    expect(records[0]).toMatchObject({ level: 'info', logger: 'runner', time: expect.any(Number) });
    expect(new Set(records.map((record) => record['runId'])).size).toBe(1);
  });

  it('uses values from the environment and from the command line', async () => {
    const cwd = prepare(SEQUENCE, '{ class: SetStaticValues, staticValues { colour: ${COLOUR} } }');
    const args = ['run', 'a.conf', '-s', 'jsonl.path=other.jsonl', '--set', 'more=1'];
    const { code } = await headrace(args, { cwd, env: { COLOUR: 'blue' } });
    expect(code).toBe(0);
    expect(lines(cwd, 'other.jsonl')[0]).toMatchObject({ colour: 'blue' });
    expect(existsSync(join(cwd, 'out.jsonl'))).toBe(false);
  });

  it('writes only documents to standard output if the indexer writes there', async () => {
    const cwd = prepare(SEQUENCE);
    const { code, stdout, stderr } = await headrace(['run', 'a.conf', '-s', 'jsonl.path=-'], { cwd });
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['0', '1', '2', '3', '4']);
    expect(stderr).toContain('RUN SUMMARY: Success.');
    const dry = await headrace(['run', 'a.conf', '-s', 'jsonl.path=-', '--dry-run', 'dry.jsonl'], { cwd });
    expect(dry.stdout).toContain('RUN SUMMARY: Success.');
  });

  it('reads the config from standard input', async () => {
    const cwd = prepare(SEQUENCE);
    const input = readFileSync(join(cwd, 'a.conf'), 'utf8');
    expect(await headrace(['run', '-'], { cwd, input })).toMatchObject({ code: 0 });
    expect(lines(cwd, 'out.jsonl')).toHaveLength(5);
  });

  it('sends nothing to the destination in a dry run', async () => {
    const cwd = prepare(SEQUENCE);
    const { code } = await headrace(['run', 'a.conf', '--dry-run', 'dry.jsonl'], { cwd });
    expect(code).toBe(0);
    expect(lines(cwd, 'dry.jsonl')).toHaveLength(5);
    expect(existsSync(join(cwd, 'out.jsonl'))).toBe(false);
  });

  it('succeeds partly if documents failed, and lists them with their reasons', async () => {
    const cwd = prepare(SEQUENCE, '{ class: "./misbehaving.js#FailOn", ids: ["1", "3"] }');
    const outcome = await headrace(['run', 'a.conf'], { cwd });
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toContain('Partial success.');
    expect(outcome.stdout).toContain('3 docs succeeded. 2 docs FAILED.');
    const failures = logs(outcome).filter((record) => record['level'] === 'error');
    expect(failures.map(({ id, reason }) => ({ id, reason }))).toEqual([
      { id: '1', reason: expect.stringContaining('I do not like 1') },
      { id: '3', reason: expect.stringContaining('I do not like 3') },
    ]);
  });

  it('exits with 1 if every document failed', async () => {
    const cwd = prepare(SEQUENCE, '{ class: "./misbehaving.js#FailOn", ids: ["0", "1", "2", "3", "4"] }');
    const { code, stdout } = await headrace(['run', 'a.conf'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('RUN SUMMARY: Failure. 1/1 connectors complete. Some docs failed.');
    expect(stdout).toContain('All 5 documents failed, and none succeeded');
  });

  it.each([
    ['1', 1],
    ['2', 0],
    ['30%', 1],
    ['40%', 0],
  ])('with --max-failures %s and 2 of 5 documents failed, exits with %i', async (limit, code) => {
    const cwd = prepare(SEQUENCE, '{ class: "./misbehaving.js#FailOn", ids: ["1", "3"] }');
    const outcome = await headrace(['run', 'a.conf', '--max-failures', limit], { cwd });
    expect(outcome.code).toBe(code);
    expect(outcome.stdout.includes('(runner.maxFailures)')).toBe(code === 1);
  });

  it('rejects a --max-failures that is neither a number nor a percentage, and exits with 2', async () => {
    const { code, stderr } = await headrace(['run', 'a.conf', '--max-failures', 'many'], { cwd: prepare(SEQUENCE) });
    expect(code).toBe(2);
    expect(stderr).toContain('maxFailures must be a number of documents or a percentage, was \\"many\\"');
  });

  it.runIf(existsSync('/dev/full'))('exits with 1 if the destination accepts nothing', async () => {
    const cwd = prepare(SEQUENCE);
    const { code, stdout, stderr } = await headrace(['run', 'a.conf', '-s', 'jsonl.path=/dev/full'], { cwd });
    expect(stdout).toContain('0 docs succeeded. 5 docs FAILED.');
    expect(stderr).toContain(
      '"msg":"5 documents could not be delivered because the destination did not accept any"}\n',
    );
    expect(code).toBe(1);
  });

  it('exits with 1 if the run failed, with the reason in the summary', async () => {
    const cwd = prepare('class: "./misbehaving.js#Broken"');
    const { code, stdout } = await headrace(['run', 'a.conf'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('RUN SUMMARY: Failure.');
    expect(stdout).toContain('the source is on fire');
  });

  it('exits with 2 for an invalid config, reports every mistake with its position, and runs nothing', async () => {
    const cwd = prepare('class: SequenceConnectr', '{ class: CopyFields, fieldMaping { a: b } }');
    const outcome = await headrace(['run', 'a.conf'], { cwd });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    const problems = logs(outcome).filter(({ logger }) => logger === 'config');
    expect(problems).toMatchObject([
      { level: 'error', file: 'a.conf', line: 1, hint: 'Did you mean SequenceConnector?' },
      {
        level: 'error',
        file: 'a.conf',
        line: 2,
        component: 'CopyFields',
        msg: expect.stringContaining('fieldMapping'),
      },
      { level: 'error', file: 'a.conf', line: 2, hint: expect.stringContaining('Did you mean fieldMapping?') },
    ]);
    expect(existsSync(join(cwd, 'out.jsonl'))).toBe(false);
  });
});

it('a distributed run refuses indexer.childrenField, because no process writes a whole family', async () => {
  const config = `connectors: [{ ${SEQUENCE}, name: c, pipeline: p }], pipelines: [{ name: p, stages: [] }]
    kafka { bootstrapServers: "localhost:1", consumerGroupId: g, maxPollIntervalSecs: 600, maxRequestSize: 1000000 }
    indexer { type: OpenSearch, childrenField: parent_id }, opensearch { url: "http://localhost:1", index: a }`;
  const cwd = directoryWith({ 'a.conf': config });
  const { code, stderr } = await headrace(['run', 'a.conf', '--distributed'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('A distributed run does not support indexer.childrenField');
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s stops a run cleanly, with its summary', async (signal, exitCode) => {
    const cwd = prepare('class: "./misbehaving.js#Endless"');
    const { child, said, ended } = start(['run', 'a.conf'], { cwd });
    await said('stderr', 'The source is open');
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(exitCode);
    const succeeded = Number(/source: stopped\. (\d+) docs succeeded\. 0 docs failed/.exec(stdout)?.[1]);
    expect(lines(cwd, 'out.jsonl')).toHaveLength(succeeded);
    expect(stderr).toContain('a second signal ends it immediately');
  });

  // util-linux, whose `script` makes a terminal, is a part of every Linux distribution, but not of macOS.
  it.runIf(existsSync('/usr/bin/script'))('of a closed terminal stops a run cleanly, too', async () => {
    const cwd = prepare('class: "./misbehaving.js#Endless"');
    // As an interactive shell does, this one sends SIGHUP to its job. The second `wait` returns the exit code of the run.
    const run = `${process.execPath} ${binary} run a.conf --failures failed.jsonl`;
    const command = `${run} & trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? > code.txt`;
    const terminal = spawn('/usr/bin/script', ['-qc', command, '/dev/null'], { cwd, stdio: 'ignore' });
    await expect.poll(() => existsSync(join(cwd, 'out.jsonl')) && lines(cwd, 'out.jsonl').length > 0).toBe(true);
    terminal.kill('SIGKILL');
    await expect
      .poll(() => existsSync(join(cwd, 'code.txt')) && readFileSync(join(cwd, 'code.txt'), 'utf8'))
      .toBe('129\n');
    const written = readFileSync(join(cwd, 'out.jsonl'), 'utf8');
    expect(written.endsWith('}\n')).toBe(true);
    expect(readFileSync(join(cwd, 'failed.jsonl'), 'utf8')).toBe('');
  });

  it('a second time ends the run immediately', async () => {
    const cwd = prepare('class: "./misbehaving.js#Deaf"');
    const { child, said, ended } = start(['run', 'a.conf'], { cwd });
    await said('stderr', 'The source is open');
    child.kill('SIGINT');
    await said('stderr', 'a second signal ends it immediately');
    // A signal that comes soon after the first counts as the same signal.
    const again = setInterval(() => child.kill('SIGINT'), 100);
    expect(await ended).toMatchObject({ signal: 'SIGINT', stdout: '' });
    clearInterval(again);
  });
});
