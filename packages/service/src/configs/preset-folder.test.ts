import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configToJson } from '@headrace/engine';
import { describe, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

// The pauses of the watch are short, so that the tests do not wait for them.
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout: typeof real.setTimeout = (milliseconds = 0, value, options) =>
    real.setTimeout(Math.min(milliseconds, 20), value, options);
  return { ...real, setTimeout };
});

interface Item {
  configId: string;
  digest: string;
  problem: string | null;
  config: Record<string, unknown>;
}

async function presetsOf(service: TestService): Promise<Item[]> {
  return ((await service.ask('/v1/config?limit=100')).json as { items: Item[] }).items;
}

/** Returns the name, a value and the problem of each preset. */
async function listed(service: TestService) {
  return (await presetsOf(service)).map(({ configId, config, problem }) => [configId, config.a ?? null, problem]);
}

async function metric(service: TestService, name: string): Promise<string | undefined> {
  const { text } = await service.ask('/metrics');
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}

const valid = (a: number) => `a: ${a}\n${VALID}`;

describe('presets that are read again', () => {
  it('are new, changed or removed, while an invalid file leaves the preset from before', async () => {
    const presets = temporaryDirectory();
    for (const name of ['changed', 'broken', 'wrong', 'removed', 'same']) {
      writeFileSync(join(presets, `${name}.conf`), valid(1));
    }
    const service = await testService({ presets });
    writeFileSync(join(presets, 'changed.conf'), valid(2));
    writeFileSync(join(presets, 'broken.conf'), 'a: {');
    writeFileSync(join(presets, 'wrong.conf'), valid(2).replace('Nowhere', 'Somewhere'));
    rmSync(join(presets, 'removed.conf'));
    writeFileSync(join(presets, 'new.conf'), valid(3));
    writeFileSync(join(presets, 'skipped.conf'), 'a: ${nowhere}');
    await service.service.reloadPresets();
    expect(await listed(service)).toEqual([
      ['broken.conf', 1, expect.stringMatching(/^broken\.conf:1:\d+: error: /)],
      ['changed.conf', 2, null],
      ['new.conf', 3, null],
      ['same.conf', 1, null],
      ['wrong.conf', 1, expect.stringMatching(/^wrong\.conf:\d+:\d+: error: .*Somewhere/)],
    ]);
    const warnings = service.log.warnings.filter((warning) => warning.startsWith('Preset ')).join('\n');
    expect(warnings).toMatch(
      /Preset broken\.conf has changed and is not valid, so the previous one stays: .*broken\.conf:1:/,
    );
    expect(warnings).toMatch(/Preset wrong\.conf has changed and is not valid/);
    expect(warnings).toMatch(/Preset skipped\.conf is skipped: /);
    expect(service.log.infos.at(-1)).toBe(
      'The presets were read again: 1 preset is new, 1 changed, 1 removed, 3 files have errors',
    );
    expect(await metric(service, 'headrace_presets')).toBe('5');
    expect(await metric(service, 'headrace_preset_problems')).toBe('3');
    // A run uses the preset that is in use.
    await service.run('changed.conf');
    expect((await service.ask('/v1/run', { body: { configId: 'removed.conf' } })).status).toBe(400);

    writeFileSync(join(presets, 'broken.conf'), valid(1));
    writeFileSync(join(presets, 'wrong.conf'), valid(4));
    rmSync(join(presets, 'skipped.conf'));
    await service.service.reloadPresets();
    expect((await listed(service)).map(([name, a, problem]) => `${name} ${a} ${problem}`)).toEqual([
      'broken.conf 1 null',
      'changed.conf 2 null',
      'new.conf 3 null',
      'same.conf 1 null',
      'wrong.conf 4 null',
    ]);
    expect(await metric(service, 'headrace_preset_problems')).toBe('0');
  });

  it('report a file again that still has errors', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'a.conf'), 'a: ${nowhere}');
    const service = await testService({ presets });
    await service.service.reloadPresets();
    expect(service.log.warnings.filter((warning) => warning.startsWith('Preset a.conf is skipped'))).toHaveLength(2);
  });

  it('follow their includes, and a changed secret that the answer does not show', async () => {
    const presets = temporaryDirectory();
    const elsewhere = temporaryDirectory();
    writeFileSync(join(elsewhere, 'common.conf'), 'a: 1, password: one');
    writeFileSync(join(presets, 'a.conf'), `include file("${join(elsewhere, 'common.conf')}")\n${VALID}`);
    const service = await testService({ presets });
    const [before] = await presetsOf(service);
    writeFileSync(join(elsewhere, 'common.conf'), 'a: 1, password: two');
    await service.service.reloadPresets();
    expect(service.log.infos.at(-1)).toContain('0 presets are new, 1 changed');
    expect((await presetsOf(service))[0]?.digest).toBe(before?.digest);
    await service.run('a.conf');
    expect(configToJson(service.threads.last.request.root)).toContain('two');
  });

  it('stay if the directory cannot be read', async () => {
    const presets = join(temporaryDirectory(), 'presets');
    mkdirSync(presets);
    writeFileSync(join(presets, 'a.conf'), valid(1));
    const service = await testService({ presets });
    rmSync(presets, { recursive: true });
    await service.service.reloadPresets();
    expect(await listed(service)).toEqual([['a.conf', 1, null]]);
    expect(service.log.warnings.at(-1)).toContain('The presets stay as they are, because they cannot be read');
  });

  it('need a preset directory', async () => {
    const service = await testService();
    expect(service.service.reloadPresets()).toBeUndefined();
  });
});

describe('presets that are watched', () => {
  const watched = async (presets: string) => testService({ presets, watchPresets: true });

  it('follow files that are written, renamed and removed', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'a.conf'), valid(1));
    const service = await watched(presets);
    writeFileSync(join(presets, 'a.conf'), valid(2));
    await expect.poll(() => listed(service)).toEqual([['a.conf', 2, null]]);
    // Editors write a new file and rename it.
    writeFileSync(join(presets, '.a.conf.tmp'), valid(3));
    renameSync(join(presets, '.a.conf.tmp'), join(presets, 'a.conf'));
    await expect.poll(() => listed(service)).toEqual([['a.conf', 3, null]]);
    writeFileSync(join(presets, 'b.conf'), valid(4));
    rmSync(join(presets, 'a.conf'));
    await expect.poll(() => listed(service)).toEqual([['b.conf', 4, null]]);
    writeFileSync(join(presets, 'b.conf'), 'a: {');
    await expect.poll(() => listed(service)).toEqual([['b.conf', 4, expect.stringContaining('b.conf:1:')]]);
  });

  it('follow a ConfigMap of Kubernetes, which swaps a symbolic link', async () => {
    const presets = temporaryDirectory();
    const version = (name: string, a: number) => {
      mkdirSync(join(presets, name));
      writeFileSync(join(presets, name, 'a.conf'), valid(a));
      symlinkSync(name, join(presets, '..data_tmp'));
      renameSync(join(presets, '..data_tmp'), join(presets, '..data'));
    };
    version('..1', 1);
    symlinkSync('..data/a.conf', join(presets, 'a.conf'));
    const service = await watched(presets);
    expect(await listed(service)).toEqual([['a.conf', 1, null]]);
    version('..2', 2);
    rmSync(join(presets, '..1'), { recursive: true });
    await expect.poll(() => listed(service)).toEqual([['a.conf', 2, null]]);
  });

  it('follow included files of other folders', async () => {
    const presets = temporaryDirectory();
    const common = join(temporaryDirectory(), 'common.conf');
    writeFileSync(join(presets, 'a.conf'), `include file("${common}")\n${VALID}`);
    const service = await watched(presets);
    expect(await listed(service)).toEqual([['a.conf', null, null]]);
    writeFileSync(common, 'a: 1');
    await expect.poll(() => listed(service)).toEqual([['a.conf', 1, null]]);
  });

  it('do not change if only the time of a file changes', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'a.conf'), valid(1));
    const service = await watched(presets);
    utimesSync(join(presets, 'a.conf'), 1, 1);
    writeFileSync(join(presets, 'b.conf'), valid(2));
    await expect.poll(() => listed(service)).toHaveLength(2);
    expect(service.log.infos.filter((info) => info.startsWith('The presets have changed'))).toEqual([
      'The presets have changed: 1 preset is new, 0 changed, 0 removed, 0 files have errors',
    ]);
  });
});
