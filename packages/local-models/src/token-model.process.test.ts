import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endlessModel, hugeModel, readingModel } from '@headrace/testing/onnx-models';
import { afterEach, describe, expect, it } from 'vitest';
import { TokenModel, type TokenModelOptions } from './token-model.ts';

const GRAPH = join(import.meta.dirname, '../../../plugins/entities/src/testing/token-model/model.onnx');

const OPTIONS = { component: 'LocalEmbed', folder: 'models/tiny', threads: 1 };

let opened: TokenModel[] = [];

afterEach(async () => {
  for (const model of opened) await model.close();
  opened = [];
});

async function openModel(
  graph: Uint8Array = readFileSync(GRAPH),
  options: Partial<TokenModelOptions> = {},
): Promise<TokenModel> {
  const model = await TokenModel.open(async () => graph, { ...OPTIONS, ...options });
  opened.push(model);
  return model;
}

/** Returns the numbers of the processes of models of this process. */
function modelProcesses(): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString().split('\n');
  return lines
    .map((line) => /^ *(\d+) +(\d+) +(.*)$/.exec(line))
    .flatMap((row) => (Number(row?.[2]) === process.pid && row?.[3]?.includes('onnx-model') ? [Number(row[1])] : []));
}

describe('a model in a helper process', () => {
  it('computes a vector for each token, and several calls at the same time', async () => {
    const model = await openModel();
    const [one, two] = await Promise.all([
      model.run([[1, 2, 3]], 0, ['logits']),
      model.run([[1, 2, 3], [4]], 0, ['logits']),
    ]);
    expect(one).toMatchObject({ length: 3, values: expect.any(Float32Array) });
    expect(one.values).toHaveLength(3 * one.size);
    expect(two.values.slice(0, one.values.length)).toEqual(one.values);
  });

  it('combines the vectors of the tokens of each text, without those of the padding', async () => {
    const model = await openModel();
    const texts = [[1, 2, 3], [4]];
    const { values, size, length } = await model.run(texts, 0, ['logits']);
    const token = (row: number, at: number) =>
      values.subarray((row * length + at) * size, (row * length + at + 1) * size);
    const [a, b, c, d] = [token(0, 0), token(0, 1), token(0, 2), token(1, 0)] as const;
    const close = (numbers: readonly number[]) => numbers.map((number) => expect.closeTo(number, 5));
    const pooled = async (pooling: 'mean' | 'cls' | 'max') => [
      ...(await model.run(texts, 0, ['logits'], pooling)).values,
    ];
    const mean = Array.from(a, (value, i) => (value + (b[i] as number) + (c[i] as number)) / 3);
    expect(await pooled('mean')).toEqual(close([...mean, ...d]));
    expect(await pooled('cls')).toEqual(close([...a, ...d]));
    const most = Array.from(a, (value, i) => Math.max(value, b[i] as number, c[i] as number));
    expect(await pooled('max')).toEqual(close([...most, ...d]));
  });

  it('reports a graph that is not one, and an output that the model does not have', async () => {
    await expect(openModel(Buffer.from('no graph'))).rejects.toThrow(/protobuf/i);
    const model = await openModel();
    await expect(model.run([[1]], 0, ['other'])).rejects.toThrow(
      'The model has none of the outputs other, only logits',
    );
  });

  it('reports a device that cannot be used', async () => {
    const open = TokenModel.open(async () => readFileSync(GRAPH), { ...OPTIONS, device: 'coreml' });
    await expect(open).rejects.toMatchObject({
      message: expect.stringMatching(/^device coreml cannot be used: this ONNX Runtime has only /),
      hint: 'Remove device to use the processor.',
    });
  });

  it('does not read the data of a model from another file', async () => {
    await expect(openModel(readingModel('/etc/passwd', 8))).rejects.toThrow(/has data in another file, .*save_model/s);
  });

  it('ends a process that loads a model or computes longer than its limit', async () => {
    const computed = openModel(endlessModel(), { computeMillis: 1000 }).then((model) =>
      model.run([[1]], 0, ['last_hidden_state']),
    );
    await expect(computed).rejects.toMatchObject({
      code: 'HR_STAGE_OVERDUE',
      message: expect.stringContaining('took longer than 1 s for a call'),
    });
    await expect.poll(modelProcesses).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('does not get more memory than its limit', async () => {
    const model = await openModel(hugeModel(4));
    await expect(model.run([[1]], 0, ['last_hidden_state'])).rejects.toThrow(/alloc|memory|ended by|exit code/i);
  });

  it('fails the calls of a process that dies, and starts another for the next call', async () => {
    const model = await openModel();
    const [pid] = modelProcesses();
    // A long batch: the process is killed before it has an answer.
    const lost = model.run(
      Array.from({ length: 64 }, () => new Array(400).fill(1)),
      0,
      ['logits'],
    );
    process.kill(pid as number, 'SIGKILL');
    await expect(lost).rejects.toMatchObject({
      code: 'HR_STAGE_FAILED',
      message:
        'LocalEmbed computed texts with the model in models/tiny: The helper process was ended by SIGKILL. ' +
        'Probably the memory was used up, and the operating system ended the process',
      hint: expect.stringContaining('fewer pipeline threads'),
    });
    const [one, two] = await Promise.all([model.run([[1]], 0, ['logits']), model.run([[1]], 0, ['logits'])]);
    expect(one.values).toEqual(two.values);
    expect(modelProcesses()).toHaveLength(1);
    expect(modelProcesses()).not.toContain(pid);
  });

  it('ends with the model', async () => {
    const model = await openModel();
    expect(modelProcesses()).toHaveLength(1);
    await model.close();
    await expect.poll(() => modelProcesses()).toEqual([]);
    await expect(model.run([[1]], 0, ['logits'])).rejects.toThrow('The model was closed');
  });
});
