import {
  type Document,
  type JsonObject,
  messageOf,
  type ParameterProblem,
  requireHeap,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import { isBlank } from '@headrace/languages/java/text';
import {
  type ChunkPages,
  englishSentences,
  fixedChunks,
  joinShort,
  merge,
  overlapByPercentage,
  pagesOfChunks,
  shorten,
  unicodeSentences,
  withoutLineBreaks,
  withoutPageMarks,
} from '@headrace/text-analysis/chunks';
import { checkDestination } from '../fields/destination.ts';

const METHODS = ['sentence', 'unicode', 'paragraph', 'fixed', 'custom'] as const;
type Method = (typeof METHODS)[number];

const parameters = Type.Object({
  /** The field with the text. */
  source: Type.String(),
  /** The field of the children for the text of a chunk. */
  dest: Type.String({ default: 'text' }),
  /** "sentence", "unicode", "paragraph", "fixed" or "custom", in any letter case. */
  chunkingMethod: Type.String({ default: 'sentence' }),
  /**
   * The Java regular expression that separates two chunks. Required for the method "custom". Other methods ignore it.
   */
  regex: Type.Optional(Type.String()),
  /** The length of slices. Required for the method "fixed". Other methods ignore it. */
  lengthToSplit: Type.Optional(Type.Integer()),
  /**
   * Whether each line break, with the white space around it, becomes one blank, and white space at both ends is
   * removed.
   */
  cleanChunks: Type.Boolean({ default: false }),
  /** The length up to which a chunk is joined with the chunks after it, separated by a blank. 0 or less means never. */
  preMergeMinChunkLen: Type.Integer({ default: -1 }),
  /** The length to which chunks are cut before they are merged. 0 or less means no limit. */
  preMergeMaxChunkLen: Type.Integer({ default: -1 }),
  /** How many neighbours are merged into one chunk, separated by blanks. */
  chunksToMerge: Type.Integer({ default: 1, minimum: 1 }),
  /** How many chunks a merged chunk shares with the next one. Must be less than chunksToMerge. Defaults to none. */
  chunksToOverlap: Type.Optional(Type.Integer({ minimum: 0 })),
  /**
   * How much of its neighbours each chunk gets at both ends, in percent of its length. Cannot be combined with
   * chunksToOverlap.
   */
  overlapPercentage: Type.Integer({ default: 0 }),
  /** The length to which chunks are cut at the end. 0 or -1 means no limit. */
  characterLimit: Type.Integer({ default: -1, minimum: -1 }),
  /** Whether each page of the text is split separately, so that no chunk has text of two pages. */
  endAtPages: Type.Boolean({ default: false }),
});

/** Matches two line breaks, with or without white space between them. CRLF counts as one line break. */
const PARAGRAPH_BREAK = '(?>\\R)\\s*\\R';

/** In the heap of V8, at most. */
const BYTES_PER_CHARACTER = 2;

const CHILD_FIELDS: ReadonlySet<string> = new Set(['parent_id', 'chunk_number', 'total_chunks', 'offset', 'length']);

/**
 * Splits a text into chunks, which become attached children of the document. This is the usual preparation for
 * embeddings and for answers from passages. EmitNestedChildren turns the children into documents.
 *
 * The text, the first value of the source, is split by one of these methods: sentence: sentences of English prose. A
 * sentence ends with a full stop, an exclamation mark or a question mark before white space, but not after
 * abbreviations and initials (Mr., J. Smith, e.g.). Line breaks count as blanks. unicode: sentences in any language and
 * script, by the rules of Unicode. A line break ends a sentence, and so does an abbreviation. paragraph: at empty
 * lines. fixed: slices of lengthToSplit characters. custom: at the matches of regex.
 *
 * Then the following steps run in this order, each if it is configured: line breaks are removed from chunks
 * (cleanChunks), short chunks are joined (preMergeMinChunkLen), long chunks are cut (preMergeMaxChunkLen), neighbours
 * are merged (chunksToMerge, with chunksToOverlap), chunks get parts of their neighbours (overlapPercentage), and are
 * cut again (characterLimit). Text that is cut off is lost, which is a notice. Lengths are in UTF-16 units: one for most characters, two
 * for an emoji. A character is never cut in two, including combining marks and composed emoji.
 *
 * If the text has marks of pages, such as TextExtractor writes them with format: markdown (`<!-- page 2 -->` on a line),
 * they are removed first, and each chunk has the fields page and pageEnd: where it begins and ends.
 *
 * The id of a child is the id of the document with -1, -2 and so on. A child has these fields: parent_id; chunk_number,
 * from 1; total_chunks; offset, the sum of the lengths of all chunks before it, as in Lucille; length; and the
 * destination with the text. offset is not the position in the text if chunks overlap or text between them was omitted.
 * To find the position, search for the text of the chunk, starting after the start of the chunk before. Chunks that
 * were cleaned, or joined by a blank, may not occur in the text unchanged. Existing children of the document stay. A
 * source that is missing, null or blank changes nothing.
 */
export class ChunkText extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Passages of two sentences, each beginning with the last sentence of the one before',
      params: { source: 'body', chunksToMerge: 2, chunksToOverlap: 1 },
      documents: [{ id: '1', body: 'Dr. Gray came early. He sat down. It was quiet.' }],
      output: [
        {
          id: '1',
          body: 'Dr. Gray came early. He sat down. It was quiet.',
          ___children: [
            {
              id: '1-1',
              parent_id: '1',
              chunk_number: 1,
              total_chunks: 2,
              offset: 0,
              length: 33,
              text: 'Dr. Gray came early. He sat down.',
            },
            {
              id: '1-2',
              parent_id: '1',
              chunk_number: 2,
              total_chunks: 2,
              offset: 33,
              length: 26,
              text: 'He sat down. It was quiet.',
            },
          ],
        },
      ],
    },
    {
      description: 'Paragraphs on one line each',
      params: { source: 'body', dest: 'passage', chunkingMethod: 'paragraph', cleanChunks: true },
      documents: [{ id: '1', body: 'A title\n\nTwo\nlines' }],
      output: [
        {
          id: '1',
          body: 'A title\n\nTwo\nlines',
          ___children: [
            { id: '1-1', parent_id: '1', chunk_number: 1, total_chunks: 2, offset: 0, length: 7, passage: 'A title' },
            { id: '1-2', parent_id: '1', chunk_number: 2, total_chunks: 2, offset: 7, length: 9, passage: 'Two lines' },
          ],
        },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { chunkingMethod, dest, regex, lengthToSplit } = params;
    const method = (chunkingMethod as string).toLowerCase();
    yield* checkDestination('dest', dest as string);
    if (CHILD_FIELDS.has(dest as string)) {
      yield { parameter: 'dest', message: `dest names ${dest}, which every chunk already has` };
    }
    if (!(METHODS as readonly string[]).includes(method)) {
      const known = METHODS.map((name) => `"${name}"`).join(', ');
      yield { parameter: 'chunkingMethod', message: `chunkingMethod must be one of ${known}, was "${chunkingMethod}"` };
    }
    if (method === 'custom') yield* checkRegex(regex);
    if (method === 'fixed' && (lengthToSplit === undefined || lengthToSplit < 1)) {
      yield { parameter: 'lengthToSplit', message: 'With chunkingMethod "fixed", lengthToSplit must be at least 1' };
    }
    yield* checkOverlap(params);
  }

  readonly #split: (text: string) => string[];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#split = splitter(params);
  }

  override process(document: Document): void {
    const text = document.text(this.params.source);
    if (text === undefined || isBlank(text)) return;
    const chunks = this.#placedChunks(text, document.id);
    const { dest } = this.params;
    const children = childrenOf(document);
    let offset = 0;
    for (const [i, { chunk, page, pageEnd }] of chunks.entries()) {
      const child: JsonObject = new Map();
      child.set('id', `${document.id}-${i + 1}`);
      child.set('parent_id', document.id);
      child.set('chunk_number', i + 1);
      child.set('total_chunks', chunks.length);
      if (page !== undefined) child.set('page', page);
      if (pageEnd !== undefined) child.set('pageEnd', pageEnd);
      child.set('offset', offset);
      child.set('length', chunk.length);
      child.set(dest as string, chunk);
      children.push(child);
      offset += chunk.length;
    }
    if (children.length > 0) document.put('___children', children);
  }

  /** Returns the chunks with their pages, if the text has marks of pages. */
  #placedChunks(text: string, document: string): readonly (Partial<ChunkPages> & { readonly chunk: string })[] {
    const paged = withoutPageMarks(text);
    if (paged === undefined) return this.#chunks(text, document).map((chunk) => ({ chunk }));
    const { chunksToOverlap = 0, overlapPercentage, endAtPages } = this.params;
    if (endAtPages) {
      return paged.pages.flatMap(({ page, text: ofPage }) =>
        isBlank(ofPage) ? [] : this.#chunks(ofPage, document).map((chunk) => ({ chunk, page, pageEnd: page })),
      );
    }
    if (isBlank(paged.text)) return [];
    const chunks = this.#chunks(paged.text, document);
    const pages = pagesOfChunks(paged, chunks, chunksToOverlap > 0 || overlapPercentage > 0);
    return chunks.map((chunk, i) => ({ chunk, ...pages[i] }));
  }

  #chunks(text: string, document: string): string[] {
    const { cleanChunks, chunksToMerge, chunksToOverlap = 0, overlapPercentage } = this.params;
    const { preMergeMinChunkLen: minLength, preMergeMaxChunkLen: maxLength, characterLimit } = this.params;
    let chunks = this.#split(text);
    if (cleanChunks) chunks = chunks.map(withoutLineBreaks);
    if (minLength > 0) chunks = joinShort(chunks, minLength);
    if (maxLength > 0) chunks = this.#shortened(chunks, maxLength, document);
    if (chunksToMerge > 1) {
      // With a large overlap, each chunk is in many groups.
      const groups = Math.max(1, (chunks.length - chunksToOverlap) / (chunksToMerge - chunksToOverlap));
      const largest = Math.min(1, chunksToMerge / Math.max(1, chunks.length));
      requireHeap(BYTES_PER_CHARACTER * groups * largest * text.length);
      chunks = merge(chunks, chunksToMerge, chunksToOverlap);
    }
    if (overlapPercentage > 0) chunks = overlapByPercentage(chunks, overlapPercentage);
    if (characterLimit > 0) chunks = this.#shortened(chunks, characterLimit, document);
    return chunks;
  }

  #shortened(chunks: readonly string[], limit: number, document: string): string[] {
    return chunks.map((chunk) => {
      const short = shorten(chunk, limit);
      if (short.length < chunk.trimEnd().length) {
        const hint = `${limit} of ${chunk.length} characters`;
        this.context.notices.report('chunk.cut', { document, field: this.params.source, value: chunk, hint });
      }
      return short;
    });
  }
}

/** Returns the list of children in the document. `addChild` would create a document for each child and copy it. */
function childrenOf(document: Document): Value[] {
  const children = document.get('___children');
  return Array.isArray(children) ? children : [];
}

function* checkRegex(regex: string | undefined): Generator<ParameterProblem> {
  if (regex === undefined || regex === '') {
    yield { parameter: 'regex', message: 'With chunkingMethod "custom", regex must not be empty' };
    return;
  }
  try {
    compileJavaRegex(regex);
  } catch (error) {
    yield { parameter: 'regex', message: `regex is not a regular expression: ${messageOf(error)}` };
  }
}

function* checkOverlap(params: Static<typeof parameters>): Generator<ParameterProblem> {
  const { chunksToMerge, chunksToOverlap, overlapPercentage } = params;
  if (chunksToOverlap === undefined) return;
  if (overlapPercentage > 0) {
    yield { parameter: 'overlapPercentage', message: 'chunksToOverlap and overlapPercentage exclude each other' };
  }
  if (chunksToOverlap >= chunksToMerge) {
    yield {
      parameter: 'chunksToOverlap',
      message: `chunksToOverlap must be less than chunksToMerge, which is ${chunksToMerge}, was ${chunksToOverlap}`,
    };
  }
}

function splitter(params: Static<typeof parameters>): (text: string) => string[] {
  switch (params.chunkingMethod.toLowerCase() as Method) {
    case 'sentence':
      return englishSentences;
    case 'unicode':
      return unicodeSentences;
    case 'paragraph': {
      const regex = compileJavaRegex(PARAGRAPH_BREAK);
      return (text) => {
        const paragraphs = regex.split(text);
        // If the text starts with line breaks, the first item is empty and not a paragraph.
        return paragraphs[0] === '' ? paragraphs.slice(1) : paragraphs;
      };
    }
    case 'fixed': {
      const length = params.lengthToSplit as number;
      return (text) => fixedChunks(text, length);
    }
    case 'custom': {
      const regex = compileJavaRegex(params.regex as string);
      return (text) => regex.split(text);
    }
  }
}
