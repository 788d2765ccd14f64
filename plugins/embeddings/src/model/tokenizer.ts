import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import type { ModelFiles } from '../local-files/model-files.ts';

/** What this file uses of the library, whose types cannot be imported into ES modules. */
interface Encoder {
  encode(text: string, options?: { add_special_tokens: boolean }): { readonly ids: number[] };
  token_to_id(token: string): number | undefined;
}

/** The tokens of a text are the ids of pieces of words, between the special tokens of the model. */
export class Tokenizer {
  readonly #tokenizer: Encoder;
  readonly #maxLength: number;
  /** The number of special tokens at the end of every text. */
  readonly #atEnd: number;
  /** The number of special tokens of every text. */
  readonly special: number;
  readonly padding: number;

  private constructor(tokenizer: Encoder, config: Record<string, unknown>, maxLength: number) {
    this.#tokenizer = tokenizer;
    this.#maxLength = maxLength;
    this.padding = tokenizer.token_to_id(tokenText(config.pad_token) ?? '[PAD]') ?? 0;
    const plain = tokenizer.encode('a', { add_special_tokens: false }).ids;
    const full = tokenizer.encode('a').ids;
    const from = full.findIndex((_, i) => plain.every((id, j) => id === full[i + j]));
    this.special = full.length - plain.length;
    this.#atEnd = full.length - Math.max(0, from) - plain.length;
  }

  /**
   * Reads the tokenizer of a model: tokenizer.json, or vocab.txt of older BERT models.
   * @param maxLength the maximum number of tokens of a text, with the special tokens
   */
  static async open(files: ModelFiles, maxLength: number): Promise<Tokenizer> {
    const config = ((await files.readJson('tokenizer_config.json')) ?? {}) as Record<string, unknown>;
    const definition = (await files.readJson('tokenizer.json')) ?? (await fromVocabulary(files, config));
    if (definition === undefined) throw new Error(`${files.folder} has neither tokenizer.json nor vocab.txt`);
    return new Tokenizer(new HuggingFaceTokenizer(definition, config) as Encoder, config, maxLength);
  }

  /** Returns the number of tokens of a text without the special tokens. */
  count(text: string): number {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  }

  /** Returns the tokens of a text. A long text loses its end, but not the special tokens after it. */
  encode(text: string): number[] {
    const { ids } = this.#tokenizer.encode(text);
    if (ids.length <= this.#maxLength) return ids;
    return [...ids.slice(0, this.#maxLength - this.#atEnd), ...ids.slice(ids.length - this.#atEnd)];
  }
}

/** A token in a config is a text, or an object with the text. */
function tokenText(token: unknown): string | undefined {
  if (typeof token === 'string') return token;
  const content = (token as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : undefined;
}

/** Returns the definition of the tokenizer of BERT with the tokens in vocab.txt, one in each line. */
async function fromVocabulary(files: ModelFiles, config: Record<string, unknown>): Promise<object | undefined> {
  const lines = (await files.read('vocab.txt'))
    ?.toString()
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  if (lines === undefined) return undefined;
  const vocab = Object.fromEntries(lines.map((token, id) => [token, id]));
  for (const token of ['[UNK]', '[CLS]', '[SEP]']) {
    if (vocab[token] === undefined) throw new Error(`vocab.txt has no line ${token}`);
  }
  const { do_lower_case = true, strip_accents = null, tokenize_chinese_chars = true } = config;
  const special = (content: string) => ({
    id: vocab[content],
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  return {
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].filter((token) => token in vocab).map(special),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: tokenize_chinese_chars,
      strip_accents,
      lowercase: do_lower_case,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', vocab['[SEP]']], cls: ['[CLS]', vocab['[CLS]']] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}
