import { readFileSync } from 'node:fs';
import { TokenModel } from '@headrace/local-models';

const BATCH = Array.from({ length: 32 }, () => new Array(300).fill(1));

/** Opens the model of this file, and returns a function that computes. */
export async function open(file) {
  const model = await TokenModel.open(async () => readFileSync(file), { threads: 1 });
  return () => model.run(BATCH, 0, ['logits']);
}
