import type { Dtype } from '@headrace/local-models';

export interface EmbedOptions {
  /** The folder of the model. */
  readonly model: string;
  /** The numbers that the model uses. Defaults to fp32. */
  readonly dtype?: Dtype;
}

/**
 * Returns the vectors of texts, as `LocalEmbed` computes them: for the questions of a search over its vectors.
 */
export async function embedTexts(
  texts: readonly string[],
  { model, dtype = 'fp32' }: EmbedOptions,
): Promise<number[][]> {
  const { SharedModel } = await import('./model/shared-model.ts');
  const opened = await SharedModel.open({ component: 'embedTexts', folder: model, dtype, batchSize: 32, threads: 1 });
  try {
    return await Promise.all(texts.map(async (text) => Array.from(await opened.embed(text))));
  } finally {
    await opened.close();
  }
}
