import { spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binary, headrace, repository } from './headrace.ts';

const COMMANDS = [
  'serve',
  'run',
  'validate',
  'render',
  'preview',
  'components',
  'init',
  'hash-password',
  'token',
  'completion',
  'help',
];

describe('help', () => {
  it('lists every command', async () => {
    const { code, stdout } = await headrace(['--help']);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} .*\\S`, 'm'));
  });

  it.skipIf(!existsSync('/dev/full'))('reports that standard output cannot be written, and exits with 1', () => {
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
    const { status, stderr } = spawnSync(process.execPath, [binary, '--help'], {
      stdio: [...stdio],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^headrace: standard output cannot be written: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });

  it.each(COMMANDS)('describes %s with an example', async (command) => {
    const { code, stdout, stderr } = await headrace([command, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: headrace ${command}`);
    expect(stdout).toContain(`Examples:\n  headrace ${command}`);
  });

  it('is also a command', async () => {
    expect(await headrace(['help'])).toEqual(await headrace(['--help']));
    expect(await headrace(['help', 'run'])).toEqual(await headrace(['run', '--help']));
  });

  it('is shown if no command is given', async () => {
    expect(await headrace([])).toEqual(await headrace(['--help']));
  });

  it('lists the version of the package with --version', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'packages/headrace/package.json'), 'utf8'));
    const { code, stdout } = await headrace(['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });
});

describe('an invalid command line', () => {
  it.each([
    [['validat', 'x.conf'], "unknown command 'validat'", 'Did you mean validate?'],
    [['run', 'x.conf', '--dryrun', 'y'], "unknown option '--dryrun'", 'Did you mean --dry-run?'],
    [['worker', 'x.conf', '--health-port', '99999'], "argument '99999' is invalid", 'a whole number from 1 to 65535'],
    [['run', 'x.conf', '-external'], "unknown option '-external'", 'Write: headrace run CONFIG --external'],
    [['Worker', 'films'], "unknown command 'Worker'", 'Write: headrace worker CONFIG [--pipeline NAME]'],
    [['run'], "missing required argument 'CONFIG'", ''],
    [['preview', 'x.conf', '--limit', 'all'], "argument 'all' is invalid", 'a whole number'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish', ''],
    [['run', 'x.conf', '-s', 'indexer.type'], '-s needs key=value', ''],
    [['run', 'no-such.conf'], '"file":"no-such.conf"', 'cannot be read'],
    [['help', 'rum'], "'rum' is invalid", 'Allowed choices are serve, run'],
  ])('%j exits with 2 and reports the mistake', async (args, message, hint) => {
    const { code, stdout, stderr } = await headrace(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('    at ');
  });
});
