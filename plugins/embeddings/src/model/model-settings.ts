import type { ModelFiles, Pooling } from '@headrace/local-models';

/** How the vectors of the tokens become the vector of a text. */
export interface ModelSettings {
  readonly pooling: Pooling;
  readonly normalize: boolean;
  /** The maximum number of tokens of a text. */
  readonly maxLength: number;
}

/** The settings of `sentence-transformers` in 1_Pooling/config.json, and what they mean. */
const POOLING_KEYS: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
};
const OTHER_POOLINGS = [
  'pooling_mode_mean_sqrt_len_tokens',
  'pooling_mode_weightedmean_tokens',
  'pooling_mode_lasttoken',
];

/**
 * Reads the settings of a model from the files of `sentence-transformers`. A model without these files uses the mean,
 * normalized, and as many tokens as it has positions, at most 512.
 * @param chosen settings that replace those of the model
 */
export async function readModelSettings(files: ModelFiles, chosen: Partial<ModelSettings>): Promise<ModelSettings> {
  const [pooling, modules, sentences, config] = await Promise.all(
    ['1_Pooling/config.json', 'modules.json', 'sentence_bert_config.json', 'config.json'].map((name) =>
      files.readJson(name),
    ),
  );
  const positions = numberIn(config, 'max_position_embeddings') ?? 512;
  const own = numberIn(sentences, 'max_seq_length') ?? Math.min(512, positions);
  return {
    pooling: chosen.pooling ?? poolingOf(pooling),
    normalize: chosen.normalize ?? isNormalized(modules),
    maxLength: Math.min(chosen.maxLength ?? own, positions),
  };
}

function poolingOf(config: unknown): Pooling {
  if (typeof config !== 'object' || config === null) return 'mean';
  const set = Object.entries(config)
    .filter(([, value]) => value === true)
    .map(([key]) => key);
  const other = set.filter((key) => OTHER_POOLINGS.includes(key));
  const known = set.flatMap((key) => POOLING_KEYS[key] ?? []);
  if (other.length > 0 || known.length > 1) {
    throw new Error(
      `1_Pooling/config.json sets ${set.join(', ')}: only one of mean, cls and max is supported. ` +
        'Set the parameter pooling to use another one.',
    );
  }
  return known[0] ?? 'mean';
}

function isNormalized(modules: unknown): boolean {
  if (!Array.isArray(modules)) return true;
  return modules.some((module) => typeof module?.type === 'string' && module.type.endsWith('.Normalize'));
}

function numberIn(config: unknown, key: string): number | undefined {
  const value = (config as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'number' ? value : undefined;
}
