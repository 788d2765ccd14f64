import { HeadraceError, runGuarded } from 'headrace/engine';
import type { ModelFiles } from './local-files/model-files.ts';
import { type Span, type TokenForm, tokenSpans } from './token-spans.ts';

/** What this file uses of the library, whose types cannot be imported into ES modules. */
interface Encoder {
  readonly normalizer: ((text: string) => string) | null;
  encode(
    text: string,
    options?: { add_special_tokens: boolean },
  ): { readonly ids: number[]; readonly tokens: string[] };
  token_to_id(token: string): number | undefined;
}

/** The parts of tokenizer.json that say how tokens write the text. */
interface Definition {
  readonly model?: {
    readonly unk_token?: string | null;
    readonly continuing_subword_prefix?: string | null;
    readonly end_of_word_suffix?: string | null;
    readonly unk_id?: number | null;
    readonly vocab?: unknown;
  };
  readonly pre_tokenizer?: unknown;
}

/** A token with its position in the text. */
export interface TokenPiece extends Span {
  readonly id: number;
  /** Whether the token continues a word, by its form; undefined if the form does not show it. */
  readonly continuesWord: boolean | undefined;
}

export interface TokenLimits {
  /** The maximum number of tokens of a text, with the special tokens. */
  readonly maxLength: number;
  /** The maximum duration of the work for one text, in milliseconds. Undefined for no limit. */
  readonly computeMillis: number | undefined;
}

/** The tokens of a text are the ids of pieces of words, between the special tokens of the model. */
export class Tokenizer {
  readonly #tokenizer: Encoder;
  readonly #limits: TokenLimits;
  readonly #form: TokenForm;
  /** The special tokens at the start and the end of every text. */
  readonly #before: readonly number[];
  readonly #after: readonly number[];
  readonly padding: number;

  private constructor(
    tokenizer: Encoder,
    definition: Definition,
    config: Record<string, unknown>,
    limits: TokenLimits,
  ) {
    this.#tokenizer = tokenizer;
    this.#limits = limits;
    this.#form = formOf(tokenizer, definition);
    this.padding = tokenizer.token_to_id(tokenText(config.pad_token) ?? '[PAD]') ?? 0;
    const plain = tokenizer.encode('a', { add_special_tokens: false }).ids;
    const full = tokenizer.encode('a').ids;
    const from = Math.max(
      0,
      full.findIndex((_, i) => plain.every((id, j) => id === full[i + j])),
    );
    this.#before = full.slice(0, from);
    this.#after = full.slice(from + plain.length);
  }

  /** The number of special tokens at the start of every text. */
  get specialBefore(): number {
    return this.#before.length;
  }

  /** The number of special tokens of every text. */
  get special(): number {
    return this.#before.length + this.#after.length;
  }

  /**
   * Reads the tokenizer of a model: tokenizer.json, or vocab.txt of older BERT models.
   * A tokenizer may have regular expressions that take endless time, even for the text that shows its special tokens.
   */
  static async open(files: ModelFiles, limits: TokenLimits): Promise<Tokenizer> {
    const config = ((await files.readJson('tokenizer_config.json')) ?? {}) as Record<string, unknown>;
    const definition = (await files.readJson('tokenizer.json')) ?? (await fromVocabulary(files, config));
    if (definition === undefined) {
      const exists = await files.exists();
      throw new Error(exists ? 'the folder has neither tokenizer.json nor vocab.txt' : 'there is no such folder');
    }
    const { Tokenizer: HuggingFaceTokenizer } = await import('@huggingface/tokenizers');
    return within(limits, () => {
      const tokenizer = new HuggingFaceTokenizer(definition, config) as unknown as Encoder;
      return new Tokenizer(tokenizer, definition, config, limits);
    });
  }

  /**
   * Returns the number of tokens of a text without the special tokens. It has no time limit, so call it only in the part of
   * `Stage.process` before the first wait, which has one.
   */
  count(text: string): number {
    return this.#tokenizer.encode(text, { add_special_tokens: false }).ids.length;
  }

  /**
   * Returns the tokens of a text. A long text loses its end, but not the special tokens after it.
   * @param onCut called with the number of tokens of a text that is too long
   */
  encode(text: string, onCut?: (tokens: number) => void): number[] {
    const { maxLength } = this.#limits;
    const { ids } = within(this.#limits, () => this.#tokenizer.encode(text));
    if (ids.length <= maxLength) return ids;
    onCut?.(ids.length);
    return [...ids.slice(0, maxLength - this.#after.length), ...this.#after];
  }

  /** Returns all tokens of a text with their positions, without special tokens. */
  pieces(text: string): TokenPiece[] {
    const { continuation } = this.#form;
    const { ids, tokens, spans } = within(this.#limits, () => {
      const encoded = this.#tokenizer.encode(text, { add_special_tokens: false });
      return { ...encoded, spans: tokenSpans(text, encoded.tokens, this.#form) };
    });
    return spans.map((span, i) => ({
      ...span,
      id: ids[i] as number,
      continuesWord: continuation === '' ? undefined : (tokens[i] as string).startsWith(continuation),
    }));
  }

  /** Returns tokens between the special tokens of the model. */
  withSpecialTokens(ids: readonly number[]): number[] {
    return [...this.#before, ...ids, ...this.#after];
  }
}

/** Does work of a tokenizer. Throws `HR_STAGE_OVERDUE` if it takes longer than its limit. */
function within<T>({ computeMillis }: TokenLimits, work: () => T): T {
  if (computeMillis === undefined) return work();
  let result: { readonly value: T } | undefined;
  const inTime = runGuarded(() => {
    result = { value: work() };
  }, computeMillis);
  if (inTime && result !== undefined) return (result as { readonly value: T }).value;
  const message = `The tokenizer of the model took longer than ${computeMillis / 1000} s (worker.maxProcessingSecs)`;
  throw new HeadraceError('HR_STAGE_OVERDUE', message, {
    hint: 'The usual cause is a regular expression in tokenizer.json that backtracks. Use another model or shorter texts.',
  });
}

function formOf({ normalizer }: Encoder, { model = {}, pre_tokenizer: preTokenizer }: Definition): TokenForm {
  const { vocab, unk_id: unknownId } = model;
  const unknownPiece = Array.isArray(vocab) && typeof unknownId === 'number' ? vocab[unknownId]?.[0] : undefined;
  return {
    normalize: normalizer === null ? (text) => text : (text) => normalizer(text),
    isByteLevel: JSON.stringify(preTokenizer ?? null).includes('"ByteLevel"'),
    continuation: model.continuing_subword_prefix ?? '',
    ending: model.end_of_word_suffix ?? '',
    unknown: model.unk_token ?? unknownPiece ?? '',
  };
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
