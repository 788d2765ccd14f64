import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defaultSettings, readServiceFile } from '@headrace/service';
import { describe, expect, it } from 'vitest';
import { repository, start } from '../cli/headrace.ts';
import { commandsOf, fileOf, missingLines, type Page, readPages, type ShownCommand } from './page.ts';
import { pageDirectory } from './page-directory.ts';

const run = promisify(execFile);
/** How long to repeat a command. A run that was just started is not finished yet. */
const PATIENCE_MILLIS = 20_000;

const page = readPages(join(repository, 'docs')).find(({ name }) => name === 'service.md') as Page;
const { blocks } = page;

/** Repeats a command until it prints the shown output. Returns its last output. */
async function say(shown: ShownCommand, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const until = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    const { stdout } = await run('sh', ['-c', shown.command.replaceAll('curl ', 'curl -sS ')], { cwd, env });
    if (missingLines(shown.output, stdout).length === 0 || Date.now() > until) return stdout;
    await sleep(100);
  }
}

describe('service.md', () => {
  it('shows valid service files, the first one with the defaults', async () => {
    const directory = pageDirectory(page);
    const files = blocks.filter(({ language }) => language === 'yaml');
    expect(files.length).toBeGreaterThan(3);
    for (const block of files) {
      const { settings, problems } = await readServiceFile(join(directory, fileOf(block) as string));
      expect(problems, block.text).toEqual([]);
      if (fileOf(block) !== 'service.yml') continue;
      writeFileSync(join(directory, 'empty.yml'), '{}\n');
      const empty = (await readServiceFile(join(directory, 'empty.yml'))).settings;
      expect({ ...settings, file: '' }).toEqual({ ...empty, file: '' });
    }
  });

  it('shows only token hashes that match no possible token', () => {
    const shown = blocks.flatMap(({ text }) => text.match(/sha256:[0-9a-f]{64}/g) ?? []);
    expect(shown).toEqual([`sha256:${'0'.repeat(64)}`]);
  });

  it('shows every limit', () => {
    const [first] = blocks.filter((block) => fileOf(block) === 'service.yml');
    for (const name of Object.keys(defaultSettings().limits)) expect(first?.text).toContain(`${name}:`);
  });

  it('shows a script whose hash is accepted with its password', async () => {
    const directory = pageDirectory(page);
    const { stdout } = await run(process.execPath, ['hash-password.mjs', 'secret'], { cwd: directory });
    const service = `server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\nauth: { type: basicAuth, users: [{ name: m, role: reader, passwordHash: "${stdout.trim()}" }] }\n`;
    writeFileSync(join(directory, 'service.yml'), service);
    const { url, stop } = await serve(directory, 'service.yml');
    try {
      const ask = (password: string) =>
        fetch(`${url}/v1/run`, { headers: { authorization: `Basic ${btoa(`m:${password}`)}` } });
      expect([(await ask('secret')).status, (await ask('wrong')).status]).toEqual([200, 401]);
    } finally {
      await stop();
    }
  });

  it('shows the output that its commands print', async () => {
    const directory = pageDirectory(page);
    const settings =
      'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\npresetConfig: { configDirectoryPath: presets }\n';
    writeFileSync(join(directory, 'test.yml'), settings);
    const { url, stop } = await serve(directory, 'test.yml');
    const env: NodeJS.ProcessEnv = { ...process.env };
    try {
      for (const shown of blocks.filter(({ language }) => language === 'console').flatMap(commandsOf)) {
        const command = shown.command.replaceAll('http://localhost:8080', url);
        const said = await say({ ...shown, command }, directory, env);
        expect(missingLines(shown.output, said), `service.md:${shown.line}: ${said}`).toEqual([]);
        env['CONFIG'] = /^\{"configId":"([^"]+)"/.exec(said)?.[1] ?? env['CONFIG'];
        env['RUN'] = /^\{"runId":"([^"]+)"/.exec(said)?.[1] ?? env['RUN'];
      }
    } finally {
      await stop();
    }
  });
});

async function serve(directory: string, file: string) {
  const service = start(['serve', file], { cwd: directory });
  await service.said('stderr', 'Headrace serves http');
  const url = /Headrace serves (http:\/\/[^"\s]+)/.exec(service.output.stderr)?.[1] as string;
  return {
    url,
    stop: async () => {
      service.child.kill('SIGTERM');
      expect((await service.ended).code).toBe(0);
    },
  };
}
