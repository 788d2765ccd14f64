import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findBoundary } from '@headrace/components';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { checkRuntime, ModelFiles } from '@headrace/local-models';
import { enforcePolicy, HelperProcess, STRICT_POLICY } from 'headrace/engine';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { embedTexts } from './embed-texts.ts';
import { LocalEmbed } from './local-embed.ts';
import { bertGraph } from './model/bert-graph.ts';
import { Safetensors } from './model/safetensors.ts';
import { TinyModel } from './testing/tiny-model.ts';

const boundary = await findBoundary([]);
const tiny = new TinyModel();
const folders: string[] = [];
let folder: string;

function write(...options: Parameters<TinyModel['write']>): string {
  const written = tiny.write(...options);
  folders.push(written);
  return written;
}

beforeAll(() => {
  folder = write();
});
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const TOKENS: Readonly<Record<string, readonly string[]>> = {
  'By the sea': ['[CLS]', 'by', 'the', 'sea', '[SEP]'],
  ships: ['[CLS]', 'ship', '##s', '[SEP]'],
  'Old ship, old X': ['[CLS]', 'old', 'ship', ',', 'old', '[UNK]', '[SEP]'],
};
const TEXTS = Object.keys(TOKENS);

function expected(text: string): number[] {
  return unit(mean(tiny.vectors(TOKENS[text] as string[])));
}

function mean(rows: readonly (readonly number[])[]): number[] {
  return (rows[0] as number[]).map((_, i) => rows.reduce((total, row) => total + (row[i] as number), 0) / rows.length);
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}

/** Embeds texts at the same time. Returns the vectors. */
async function embed(params: object, texts: readonly string[] = TEXTS): Promise<number[][]> {
  const stage = makeStage(LocalEmbed, { source: 'text', model: folder, ...params });
  await stage.start?.();
  const documents = texts.map((text) => toDocument({ id: '1', text }));
  await Promise.all(documents.map((document) => stage.process(document)));
  await stage.stop?.();
  return documents.map((document) => JSON.parse(document.toJson()).embeddings);
}

function expectClose(found: readonly number[][], wanted: readonly number[][], digits = 5): void {
  expect(found.map((vector) => vector.length)).toEqual(wanted.map((vector) => vector.length));
  for (const [i, vector] of found.entries()) {
    for (const [j, x] of vector.entries()) expect(x).toBeCloseTo(wanted[i]?.[j] as number, digits);
  }
}

describe('LocalEmbed', () => {
  it('gives questions the same vectors with embedTexts', async () => {
    expectClose(await embedTexts(TEXTS, { model: folder }), TEXTS.map(expected));
  });

  it('satisfies the stage contract', async () => {
    await assertStageContract(LocalEmbed, {
      params: { source: 'text', model: folder },
      document: { id: '1', text: 'By the sea' },
    });
  });

  it.each([1, 2, 32])(
    'computes the same vectors as a plain implementation of BERT, in batches of %i',
    async (batchSize) => {
      expectClose(await embed({ batchSize }), TEXTS.map(expected));
    },
  );

  it.each([
    ['F16', ''],
    ['BF16', 'bert.'],
  ] as const)('reads weights of the type %s with the prefix "%s"', async (precision, prefix) => {
    expectClose(await embed({ model: write({}, precision, prefix) }), TEXTS.map(expected));
  });

  it('computes similar vectors with weights of 8 bits', async () => {
    const [wanted, found] = [TEXTS.map(expected), await embed({ dtype: 'q8' })];
    for (const [i, vector] of found.entries()) {
      const cosine = vector.reduce((total, x, j) => total + x * (wanted[i]?.[j] as number), 0);
      expect(cosine).toBeGreaterThan(0.99);
    }
  });

  it('reads an ONNX file', async () => {
    const files = new ModelFiles(write());
    const weights = new Safetensors((await files.read('model.safetensors')) as Buffer<ArrayBuffer>);
    mkdirSync(join(files.folder, 'onnx'));
    writeFileSync(join(files.folder, 'onnx/model.onnx'), bertGraph(TinyModel.config, weights, false));
    rmSync(join(files.folder, 'model.safetensors'));
    expectClose(await embed({ model: files.folder }), TEXTS.map(expected));
  });

  it('uses the settings in the files of the model', async () => {
    const model = write({
      '1_Pooling/config.json': { word_embedding_dimension: 32, pooling_mode_cls_token: true },
      'modules.json': [{ type: 'sentence_transformers.models.Transformer' }],
      'sentence_bert_config.json': { max_seq_length: 4 },
    });
    const cut = tiny.vectors(['[CLS]', 'by', 'the', '[SEP]'])[0] as number[];
    expectClose(await embed({ model }, ['By the sea']), [cut]);
  });

  it('uses the parameters instead of the settings of the model', async () => {
    const rows = tiny.vectors(['[CLS]', 'sea', 'by', 'the', '[SEP]']);
    const largest = (rows[0] as number[]).map((_, i) => Math.max(...rows.map((row) => row[i] as number)));
    const params = { pooling: 'max', normalize: false, maxLength: 5, prefix: 'sea ' };
    expectClose(await embed(params, ['By the sea']), [largest]);
  });

  it('reports texts that are longer than the model reads', async () => {
    const context = stageContext();
    const documents = [
      { id: '1', text: 'By the sea' },
      { id: '2', text: 'sea' },
      { id: '3', text: ['sea', 'ships'] },
    ];
    await runStage(LocalEmbed, { source: 'text', model: folder, maxLength: 4 }, documents, context);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'embedding.cut',
        count: 2,
        examples: [
          { document: '1', field: 'text', hint: expect.stringMatching(/^The text has \d+ tokens/) },
          { document: '3', hint: expect.stringContaining('2 values') },
        ],
      },
    ]);
  });

  it('embeds the attached children, and leaves those without a text unchanged', async () => {
    const children = [{ id: 'a', text: 'ships' }, { id: 'b', text: ' ' }, { id: 'c' }];
    const params = { source: 'text', model: folder, embedDocument: false, embedChildren: true, dest: 'v' };
    const [outcome] = await runStage(LocalEmbed, params, [{ id: '1', text: 'By the sea', ___children: children }]);
    const { v, ___children } = JSON.parse(outcome?.documents[0] as string);
    expect(v).toBeUndefined();
    expectClose([___children[0].v], [expected('ships')]);
    expect(___children.slice(1)).toEqual(children.slice(1));
  });

  it.each([{}, { text: null }, { text: '  ' }, { text: [] }])('does not change a document with %j', async (fields) => {
    const document = { id: '1', ...fields };
    const [outcome] = await runStage(LocalEmbed, { source: 'text', model: folder }, [document]);
    expect(outcome?.documents).toEqual([JSON.stringify(document)]);
  });

  it.each([
    ['overwrite', 32],
    ['append', 33],
    ['skip', 1],
  ])('treats a vector that exists as updateMode %s says', async (updateMode, length) => {
    const params = { source: 'text', model: folder, updateMode };
    const [outcome] = await runStage(LocalEmbed, params, [{ id: '1', text: 'ships', embeddings: [1] }]);
    expect(JSON.parse(outcome?.documents[0] as string).embeddings).toHaveLength(length);
  });

  it.each([
    [
      { 'config.json': { ...TinyModel.config, model_type: 'roberta' } },
      'only models of type bert are read from safetensors',
    ],
    [{ 'config.json': { ...TinyModel.config, hidden_act: 'silu' } }, 'hidden_act is silu'],
    [{ 'config.json': { ...TinyModel.config, num_hidden_layers: 3 } }, 'no tensor encoder.layer.2.attention'],
    [{ '1_Pooling/config.json': { pooling_mode_lasttoken: true } }, 'sets pooling_mode_lasttoken'],
  ])('does not start with the model files %j', async (files, message) => {
    await expect(embed({ model: write(files) })).rejects.toThrow(message);
  });

  it('does not start if files of the model are missing or cut off', async () => {
    const model = write();
    rmSync(join(model, 'config.json'));
    await expect(embed({ model })).rejects.toThrow('the folder has no config.json');
    writeFileSync(join(model, 'model.safetensors'), 'x');
    await expect(embed({ model })).rejects.toThrow('not a safetensors file');
    rmSync(join(model, 'model.safetensors'));
    await expect(embed({ model })).rejects.toThrow('neither model.safetensors nor one of model.onnx');
    renameSync(join(model, 'vocab.txt'), join(model, 'words.txt'));
    await expect(embed({ model })).rejects.toThrow('neither tokenizer.json nor vocab.txt');
    rmSync(model, { recursive: true });
    await expect(embed({ model })).rejects.toThrow(`${model}: there is no such folder`);
  });

  it.each([
    [{ embedDocument: false }, /^embedDocument: At least one/],
    [{ dest: '___children' }, /^dest: .*reserved/],
    [{ dtype: 'q4' }, /^dtype: /],
    [{ pooling: 'sum' }, /^pooling: /],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(LocalEmbed, { source: 'text', model: folder, ...params })).toThrow(message);
  });
});

it('computes a text once with a cache, until the model changes', async () => {
  const model = write();
  const cache = { path: join(model, '..', `${basename(model)}.cache`) };
  folders.push(cache.path, `${cache.path}-wal`, `${cache.path}-shm`);
  const run = async (more: object = {}) => {
    const lookups: boolean[] = [];
    const context = stageContext({ onCacheLookup: (isHit) => lookups.push(isHit) });
    const stage = makeStage(LocalEmbed, { source: 'text', model, cache, ...more }, context);
    await stage.start?.();
    const documents = TEXTS.map((text) => toDocument({ id: '1', text }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    return { lookups, vectors: documents.map((document) => JSON.parse(document.toJson()).embeddings) };
  };
  const first = await run();
  expect(first.lookups).toEqual([false, false, false]);
  const started = vi.spyOn(HelperProcess, 'start');
  expect(await run()).toEqual({ lookups: [true, true, true], vectors: first.vectors });
  // Without a new text, the model is not opened.
  expect(started).not.toHaveBeenCalled();
  expect((await run({ normalize: false })).lookups).toEqual([false, false, false]);
  expect(started).toHaveBeenCalledTimes(1);
  started.mockRestore();
  utimesSync(join(model, 'config.json'), 1, 1);
  expect((await run()).lookups).toEqual([false, false, false]);
});

it('reports damaged model files at the start, and fails the documents if the model cannot be opened later', async () => {
  const model = write();
  const cache = { path: join(model, '..', `${basename(model)}.cache`) };
  folders.push(cache.path, `${cache.path}-wal`, `${cache.path}-shm`);
  const weights = join(model, 'model.safetensors');
  const stage = makeStage(LocalEmbed, { source: 'text', model, cache });
  await stage.start?.();
  renameSync(weights, `${weights}.old`);
  const document = () => toDocument({ id: '1', text: 'ships' });
  const reason = `Cannot load the model in ${model}: the folder has neither model.safetensors nor one of model.onnx`;
  await expect(stage.process(document())).rejects.toThrow(reason);
  await expect(stage.process(document())).rejects.toThrow(reason);
  await stage.stop?.();
  await expect(embed({ model, cache })).rejects.toThrow(reason);
  writeFileSync(weights, 'x');
  await expect(embed({ model, cache })).rejects.toThrow('not a safetensors file');
  rmSync(weights);
  writeFileSync(join(model, 'model.onnx'), 'no graph');
  // Only the process can read a graph. With --connect, it is opened.
  await expect(embed({ model, cache })).rejects.toThrow(/protobuf/i);
  const broken = makeStage(LocalEmbed, { source: 'text', model, cache });
  await expect(broken.checkAccess?.(() => undefined, new AbortController().signal)).rejects.toThrow(/protobuf/i);
});

it('names the model and the probable cause if its process is killed, and embeds the next text with another', async () => {
  const stage = makeStage(LocalEmbed, { source: 'text', model: folder });
  await stage.start?.();
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString().split('\n');
  const row = rows.map((text) => text.trim().split(/ +/)).find((words) => isModelProcess(words)) as string[];
  // A stopped process gives no answer, so that it is killed while it computes.
  process.kill(Number(row[0]), 'SIGSTOP');
  const lost = stage.process(toDocument({ id: '1', text: 'ships' }));
  process.kill(Number(row[0]), 'SIGKILL');
  await expect(lost).rejects.toMatchObject({
    message: expect.stringMatching(
      /^LocalEmbed computed texts with the model in .*SIGKILL\. Probably the memory was used/,
    ),
    hint: expect.stringContaining('more memory'),
  });
  const document = toDocument({ id: '2', text: 'ships' });
  await stage.process(document);
  expectClose([JSON.parse(document.toJson()).embeddings], [expected('ships')]);
  await stage.stop?.();
});

function isModelProcess(words: readonly string[]): boolean {
  return Number(words[1]) === process.pid && words.some((word) => word.includes('onnx-model'));
}

describe('a tokenizer with an endless regular expression', () => {
  const hostile = {
    version: '1.0',
    added_tokens: [],
    normalizer: { type: 'Replace', pattern: { String: 'a' }, content: 'a'.repeat(60) },
    pre_tokenizer: { type: 'Split', pattern: { Regex: '(a+)+b' }, behavior: 'Removed', invert: false },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab: { '[UNK]': 0, a: 1, '[PAD]': 2 }, unk_token: '[UNK]' },
  };
  const params = () => ({ source: 'text', model: write({ 'tokenizer.json': hostile }) });

  it('fails the start', async () => {
    const stage = makeStage(LocalEmbed, params(), stageContext({ computeMillis: 300 }));
    await expect((async () => stage.start?.())()).rejects.toMatchObject({
      code: 'HR_STAGE_OVERDUE',
      message: 'The tokenizer of the model took longer than 0.3 s (worker.maxProcessingSecs)',
    });
  });
});

describe('LocalEmbed of an upload', () => {
  afterEach(() => void enforcePolicy(undefined));
  const none = { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' } as const;

  it('is refused by the check if the machine has no boundary', () => {
    enforcePolicy({ ...STRICT_POLICY, boundary: none });
    expect([...checkRuntime('model')]).toMatchObject([
      { code: 'HR_POLICY_NO_BOUNDARY', message: expect.stringContaining('bubblewrap (bwrap) is not installed') },
    ]);
    enforcePolicy({ ...STRICT_POLICY, boundary: { kind: 'bubblewrap', path: '/usr/bin/bwrap' } });
    expect([...checkRuntime('model')]).toEqual([]);
  });

  it('does not get more threads than the policy allows', () => {
    expect(LocalEmbed.parameters.properties.threads).toMatchObject({ cap: { limit: 'maxThreads', scale: 1 } });
  });

  it.runIf(boundary.kind !== 'none')('computes vectors in a boundary', async () => {
    enforcePolicy({ ...STRICT_POLICY, read: [folder], boundary });
    const vectors = await embed({});
    for (const [i, text] of TEXTS.entries()) {
      expect(vectors[i]).toEqual(expected(text).map((number) => expect.closeTo(number, 5)));
    }
  });
});
