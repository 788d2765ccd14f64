import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { StubServer } from '@headrace/testing/stub-server';
import { withDefaults } from 'headrace/engine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JlamaEmbed } from './jlama-embed.ts';
import { LocalEmbed } from './local-embed.ts';
import { TinyModel } from './testing/tiny-model.ts';

const document = { id: '1', text: 'By the sea', embeddings: [1, 2] };
let model: string;
let hub: StubServer;
let models: string;

beforeAll(async () => {
  model = new TinyModel().write();
  // Like Hugging Face, the hub sends files with weights from another place.
  hub = await StubServer.start(({ path }, response) => {
    const name = path.replace('/me/tiny/resolve/main/', '').replace('/cdn/', '');
    if (!path.startsWith('/cdn/') && name === 'model.safetensors') {
      response.writeHead(302, { location: `/cdn/${name}` }).end();
    } else if (readdirSync(model).includes(name)) response.end(readFileSync(join(model, name)));
    else response.writeHead(404).end('Entry not found');
  });
});
beforeEach(() => {
  models = mkdtempSync(join(tmpdir(), 'models-'));
  hub.requests.length = 0;
  return () => rmSync(models, { recursive: true });
});
afterAll(async () => {
  rmSync(model, { recursive: true });
  await hub.close();
});

const params = (more: object = {}) => ({
  source: 'text',
  model: 'me/tiny',
  pathToStoreModel: models,
  hubUrl: hub.url,
  ...more,
});

async function vectorOf(more: object = {}): Promise<number[]> {
  const [outcome] = await runStage(JlamaEmbed, params(more), [document]);
  return JSON.parse(outcome?.documents[0] as string).embeddings;
}

describe('JlamaEmbed', () => {
  it('satisfies the stage contract', async () => {
    cpSync(model, join(models, 'me_tiny'), { recursive: true });
    await assertStageContract(JlamaEmbed, { params: params(), document });
  });

  it('reads the folder of Jlama, and replaces the vector', async () => {
    cpSync(model, join(models, 'na_tiny'), { recursive: true });
    const [outcome] = await runStage(LocalEmbed, { source: 'text', model }, [document]);
    expect(await vectorOf({ model: 'tiny' })).toEqual(JSON.parse(outcome?.documents[0] as string).embeddings);
    expect(hub.requests).toEqual([]);
  });

  it('uses weights of 8 bits for the type I8', async () => {
    cpSync(model, join(models, 'me_tiny'), { recursive: true });
    const [exact, rounded] = [await vectorOf(), await vectorOf({ workingQuantizationType: 'i8' })];
    expect(rounded).not.toEqual(exact);
    expect(rounded.reduce((total, x, i) => total + x * (exact[i] as number), 0)).toBeGreaterThan(0.99);
  });

  it('does not download a model without allowDownload', async () => {
    await expect(vectorOf()).rejects.toThrow(
      `me/tiny is not in ${join(models, 'me_tiny')}, and allowDownload is not set`,
    );
    expect(hub.requests).toEqual([]);
  });

  it('downloads a model once, and follows redirects', async () => {
    const first = await vectorOf({ allowDownload: true });
    expect(first).toHaveLength(32);
    expect(hub.requests.at(-1)?.path).toBe('/cdn/model.safetensors');
    const { length } = hub.requests;
    expect(await vectorOf({ allowDownload: true })).toEqual(first);
    expect(hub.requests).toHaveLength(length);
  });

  it('deletes a downloaded model after the run if the config says so', async () => {
    await vectorOf({ allowDownload: true, deleteModelAfter: true });
    expect(existsSync(join(models, 'me_tiny'))).toBe(false);
  });

  it('does not start if the hub does not have the model', async () => {
    const more = { model: 'me/other', allowDownload: true };
    await expect(vectorOf(more)).rejects.toThrow('has no config.json');
    await expect(
      makeStage(JlamaEmbed, params(more)).checkAccess?.(() => undefined, AbortSignal.timeout(60_000)),
    ).rejects.toThrow('has no model me/other');
  });

  it.each([
    [{ model: '../x' }, /^model: .*not the name of a model/],
    [{ model: 'a/b/c' }, /^model: .*not the name of a model/],
    [{ dest: 'id' }, /^dest: .*reserved/],
    [{ hubUrl: 'ftp://x' }, /^hubUrl: /],
  ])('refuses the parameters %j', (more, message) => {
    expect(() => makeStage(JlamaEmbed, { ...params(), ...more })).toThrow(message);
  });

  it('warns about parameters without an effect', () => {
    const more = { workingMemoryType: 'BF16', deleteModelAfter: true, dest: 'v' };
    const problems = [...JlamaEmbed.check(withDefaults(JlamaEmbed.parameters, { ...params(), ...more } as never))];
    expect(problems.map(({ parameter, severity }) => [parameter, severity])).toEqual([
      ['workingMemoryType', 'warning'],
      ['deleteModelAfter', 'warning'],
    ]);
  });
});
