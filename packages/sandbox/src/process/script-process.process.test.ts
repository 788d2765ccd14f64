import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ScriptProcess, type ScriptProcessOptions } from './script-process.ts';
import type { StartProgram } from './script-program.ts';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const startProgram: StartProgram = (command, args, { env }) => {
  const child = spawn(command, args, { env, stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
};

/**
 * Creates a script process with a JavaScript program. The program's `on(line)` is called with each line it receives.
 */
function scriptProcess(program: string, overrides: Partial<ScriptProcessOptions> = {}) {
  const logged: string[] = [];
  const lines = `
    const say = (answer) => require('node:fs').writeSync(1, JSON.stringify(answer) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => on(line));
  `;
  const script = new ScriptProcess({
    name: 'a.x',
    command: process.execPath,
    args: ['-e', lines + program],
    env: {},
    startProgram,
    startMillis: 60_000,
    memory: { take: () => undefined, release: () => undefined },
    logger: { info: (text) => void logged.push(text) },
    readJson: (line) =>
      JSON.parse(line, (_key, value: unknown) => (isObject(value) ? new Map(Object.entries(value)) : value)),
    makeError: ({ when, message, code }) => Object.assign(new Error(message), { code: code ?? when }),
    ...overrides,
  });
  onTestFinished(() => script.stop());
  return { script, logged };
}

const FAILED = expect.stringMatching(/^a\.x: the process of the script \(.*\) /);

describe('ScriptProcess', () => {
  it('takes memory for a long answer while it arrives, and fails the call if there is not enough', async () => {
    let taken = 0;
    const memory = {
      take(bytes: number) {
        taken += bytes;
        if (taken > 4_000_000) throw Object.assign(new Error('no memory'), { code: 'HR_MEMORY_LIMIT' });
        return undefined;
      },
      release: () => (taken = 0),
    };
    const program = "say({}); on = (line) => say({ value: 'x'.repeat(Number(line)) })";
    const { script } = scriptProcess(program, { memory });
    await script.start();
    const long = expect(script.call('5000000')).rejects.toMatchObject({ message: FAILED, code: 'HR_MEMORY_LIMIT' });
    const short = script.call('1000000');
    await long;
    expect(await short).toHaveLength(1_000_000);
    expect(taken).toBe(0);
  });

  it('answers calls in order, with many in flight', async () => {
    const { script } = scriptProcess('say({}); on = (line) => say({ value: line })');
    await script.start();
    const texts = Array.from({ length: 1000 }, (_, i) => `"${i}${'x'.repeat(i)}"`);
    expect(await Promise.all(texts.map((text) => script.call(text)))).toEqual(texts);
  });

  it('sends the greeting to each new process', async () => {
    const { script } = scriptProcess(
      `let hello; on = (line) => {
        if (hello === undefined) { hello = line; say({}); }
        else if (line === 'die') process.exit(1);
        else say({ value: [hello, line] });
      }`,
      { greeting: '"hello"' },
    );
    await script.start();
    expect(await script.call('1')).toEqual(['"hello"', '1']);
    await expect(script.call('die')).rejects.toThrow('ended with exit code 1');
    expect(await script.call('2')).toEqual(['"hello"', '2']);
  });

  it('answers questions of the script during a call', async () => {
    const { script } = scriptProcess(`say({});
      on = (line) => { if (line.startsWith('=')) say({ value: line }); else say({ ask: ['a', 1.0] }) }`);
    await script.start();
    expect(await script.call('1', (question) => JSON.stringify({ question: String(question) }))).toBe(
      '={"question":"a,1"}',
    );
  });

  it('ends a process that exceeds the time limit of a call, and starts another process for the next call', async () => {
    const { script } = scriptProcess(`say({}); on = (line) => { while (line === 'hang'); say({ value: line }) }`, {
      callMillis: 2000,
      overdueCode: 'HR_STAGE_OVERDUE',
    });
    await script.start();
    const calls = ['1', 'hang', '2'].map((line) => script.call(line).catch((error: Error) => error));
    const late = { code: 'HR_STAGE_OVERDUE', message: expect.stringMatching(/took more than 2 s$/) };
    expect(await Promise.all(calls)).toEqual(['1', expect.objectContaining(late), '2']);
    expect(await script.call('3')).toBe('3');
  });

  it('fails to start if the process is not ready in time', async () => {
    const { script } = scriptProcess('on = () => {}', { startMillis: 200 });
    await expect(script.start()).rejects.toThrow(/was not ready after 0\.2 s$/);
  });

  it('fails to start if the program refuses, does not exist or ends', async () => {
    const refusing = scriptProcess('say({ error: { message: "no", line: 3 } }); on = () => {}');
    await expect(refusing.script.start()).rejects.toThrow(/^a\.x, line 3: no$/);
    const missing = scriptProcess('', { command: '/no/such/program' });
    await expect(missing.script.start()).rejects.toThrow('(/no/such/program) cannot be run');
    const ending = scriptProcess('console.error("last words"); process.exit(4)');
    await expect(ending.script.start()).rejects.toThrow(/ended with exit code 4: last words$/);
    expect(ending.logged).toEqual(['last words']);
  });

  it('fails the calls if no other process can be started', async () => {
    const flag = join(mkdtempSync(join(tmpdir(), 'headrace-script-')), 'flag');
    const { script } = scriptProcess(
      `const { existsSync, writeFileSync } = require('node:fs');
      say(existsSync('${flag}') ? { error: { message: 'only once' } } : {});
      writeFileSync('${flag}', '');
      on = () => process.exit(1)`,
    );
    await script.start();
    const calls = ['1', '2', '3'].map((line) => script.call(line).catch((error: Error) => error.message));
    expect(await Promise.all(calls)).toEqual([FAILED, 'a.x: only once', 'a.x: only once']);
    await expect(script.call('4')).rejects.toThrow('a.x: only once');
  });

  it('keeps the process after an error, and replaces it after a fatal error', async () => {
    const { script } = scriptProcess(`let n = 0; say({});
      on = (line) => { n++; say(line === 'ok' ? { value: n } : { error: { message: line, fatal: line === 'fatal' } }) }`);
    await script.start();
    const calls = ['ok', 'bad', 'ok', 'fatal', 'ok'].map((line) =>
      script.call(line).catch((error: Error) => error.message),
    );
    expect(await Promise.all(calls)).toEqual([1, 'a.x: bad', 3, 'a.x: fatal', 1]);
  });

  it('ends a process that violates the protocol', async () => {
    const { script } = scriptProcess(`say({});
      on = (line) => { console.log(line === 'ok' ? '{"value": 1}' : line) }`);
    await script.start();
    await expect(script.call('no answer')).rejects.toThrow(/returned no answer, which is not an answer$/);
    expect(await script.call('ok')).toBe(1);
  });

  it('cuts log lines that are too long', async () => {
    const { script, logged } = scriptProcess(
      'say({}); on = () => { console.error("x".repeat(20000)); say({ value: 1 }) }',
    );
    await script.start();
    await script.call('1');
    await script.stop();
    expect(logged.map((line) => line.length)).toEqual([8192]);
  });
});
