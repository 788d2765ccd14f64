import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { directoryWith, headrace } from './headrace.ts';

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('for %s knows commands and options', async (shell) => {
    const { code, stdout } = await headrace(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['validate', 'preview', 'components', 'dry-run', 'show-secrets']) expect(stdout).toContain(word);
  });

  it.each([
    ['headrace va', 1, ['validate']],
    ['headrace render --sh', 2, ['--show-secrets']],
    ['headrace completion ', 2, ['bash', 'zsh', 'fish']],
    ['headrace run ', 2, ['movies.conf']],
    ['headrace run movies.conf --dry-run mo', 4, ['movies.conf']],
    ['headrace run movies.conf --set ', 4, []],
  ])('in bash completes "%s"', async (line, position, expected) => {
    const directory = directoryWith({ 'movies.conf': '' });
    const { stdout: script } = await headrace(['completion', 'bash']);
    const words = line.split(' ').map((word) => `'${word}'`);
    const ask = `compopt() { :; }; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${position}; _headrace; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['-c', `${script}\n${ask}`], { cwd: directory, encoding: 'utf8' });
    expect(output.split('\n').filter((word) => word !== '')).toEqual(expected);
  });
});
