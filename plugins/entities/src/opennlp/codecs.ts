import type { Span } from './spans.ts';

/** A name in a list of tokens, with the type that the model has for it. */
interface TypedSpan extends Span {
  readonly type: string | undefined;
}

/** How the outcomes of tokens describe names. An outcome is a type and a part: `person-start`, or only the part. */
export interface Codec {
  /** Returns whether an outcome may follow the previous one, which is undefined for the first token. */
  mayFollow(outcome: string, previous: string | undefined): boolean;
  decode(outcomes: readonly string[]): TypedSpan[];
}

/** The first token of a name is `start`, the others are `cont`. */
const BIO: Codec = {
  mayFollow(outcome, previous) {
    if (!outcome.endsWith('cont')) return true;
    return previous !== undefined && !previous.endsWith('other') && typeOf(outcome) === typeOf(previous);
  },
  decode(outcomes) {
    const spans: TypedSpan[] = [];
    let start = -1;
    for (let i = 0; i <= outcomes.length; i++) {
      const outcome = outcomes[i] ?? 'other';
      if (outcome.endsWith('cont')) continue;
      if (start >= 0) spans.push({ start, end: i, type: typeOf(outcomes[i - 1] as string) });
      start = outcome.endsWith('start') ? i : -1;
    }
    return spans;
  },
};

/** The last token of a name is `last`, and a name of one token is `unit`. */
const BILOU: Codec = {
  mayFollow(outcome, previous) {
    const isInside = previous !== undefined && /(?:start|cont)$/.test(previous);
    if (!/(?:cont|last)$/.test(outcome)) return !isInside;
    return isInside && typeOf(outcome) === typeOf(previous as string);
  },
  decode(outcomes) {
    const spans: TypedSpan[] = [];
    let start = -1;
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.endsWith('start')) start = i;
      else if (outcome.endsWith('unit')) spans.push({ start: i, end: i + 1, type: typeOf(outcome) });
      else if (outcome.endsWith('last') && start >= 0) {
        spans.push({ start, end: i + 1, type: typeOf(outcomes[i - 1] as string) });
        start = -1;
      }
    }
    return spans;
  },
};

const CODECS: ReadonlyMap<string, Codec> = new Map([
  ['opennlp.tools.namefind.BioCodec', BIO],
  ['opennlp.tools.namefind.BilouCodec', BILOU],
]);

/** Returns the codec with this class name of OpenNLP, or with its short form BIO or BILOU. Throws for other names. */
export function codecNamed(name = 'opennlp.tools.namefind.BioCodec'): Codec {
  const codec = name === 'BIO' ? BIO : name === 'BILOU' ? BILOU : CODECS.get(name);
  if (codec === undefined) throw new Error(`the model uses ${name}, expected one of ${[...CODECS.keys()].join(', ')}`);
  return codec;
}

function typeOf(outcome: string): string | undefined {
  return /^(.+)-\w+$/.exec(outcome)?.[1];
}
