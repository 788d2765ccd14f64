import { ModelFiles, Tokenizer } from '@headrace/local-models';
import {
  type Document,
  type JsonObject,
  OneOf,
  type ParameterProblem,
  READS,
  RESERVED_FIELDS,
  Stage,
  type Static,
  Type,
} from 'headrace/engine';
import { modelError } from './model/model-error.ts';
import type { Section } from './passages/passages.ts';

const parameters = Type.Object({
  /** The field with the text. */
  source: Type.String(),
  /** The field of the children for the text of a passage. */
  dest: Type.String({ default: 'text' }),
  /** Whether the text is Markdown, with headings, lists and tables, or plain text. */
  format: OneOf(['markdown', 'text'], { default: 'markdown' }),
  /**
   * The folder of the model that embeds the passages, as for LocalEmbed. Its tokenizer counts the tokens. Required
   * unless maxCharacters is given.
   */
  model: Type.Optional(Type.String(READS)),
  /** The maximum number of tokens of a passage. Needs model. Defaults to the number that the model reads. */
  maxTokens: Type.Optional(Type.Integer({ minimum: 8 })),
  /** The maximum length of a passage in characters (UTF-16 units), if no model is given. */
  maxCharacters: Type.Optional(Type.Integer({ minimum: 20 })),
  /**
   * How many tokens, or characters, of a passage the next passage of the same section repeats at most. Only whole
   * sentences are repeated.
   */
  overlap: Type.Integer({ default: 0, minimum: 0 }),
  /** Whether the text of a passage begins with its headings: Guide > Installation. */
  withHeadings: Type.Boolean({ default: true }),
  /**
   * Whether a passage ends where its page ends. The text needs marks of pages, such as TextExtractor writes them with
   * format: markdown.
   */
  endAtPages: Type.Boolean({ default: false }),
  /** Whether each section also becomes a child, which its passages name in section_id. */
  sections: Type.Boolean({ default: false }),
});

type Params = Static<typeof parameters>;

const CHILD_FIELDS = [
  'parent_id',
  'section_id',
  'level',
  'headings',
  'page',
  'pageEnd',
  'chunk_number',
  'total_chunks',
  'offset',
  'length',
];

/**
 * Divides a text along its structure into passages that a model can embed, which become attached children of the
 * document. EmitNestedChildren turns the children into documents.
 *
 * A section is the text under one heading. A passage never contains text of two sections. It ends between two
 * paragraphs, lists or tables if possible, otherwise between the items of a list, the rows of a table or two sentences,
 * and only inside of a very long sentence between two words. If a table is divided, its header is repeated. Each passage
 * has the headings above it: as a list in the field headings, and at the start of its text (withHeadings).
 *
 * The size is counted in tokens of a model, which cuts longer texts, or in characters without a model. Headings count
 * too. If they need more than half of a passage, the outer ones are omitted from its text.
 *
 * The id of a passage is the id of the document with -1, -2 and so on. A passage has these fields: parent_id;
 * chunk_number, from 1; total_chunks; headings; page and pageEnd, the pages on which it begins and ends, if the text has
 * marks such as TextExtractor writes (`<!-- page 2 -->`), which are not in its text; offset and length, its position in
 * the text with line ends LF, without headings; and the destination with the text. With sections, the id of a section ends with -s1, -s2 and so on, and every child has the
 * field level with section or passage. The parent_id of all children is the id of the document: indexer.childrenField
 * then deletes the old ones. A source that is missing or blank changes nothing.
 */
export class ChunkPassages extends Stage<typeof parameters> {
  static readonly javaClass = null;
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Passages with their headings',
      params: { source: 'body', maxCharacters: 60 },
      documents: [
        { id: '1', body: '# Guide\n\nWelcome.\n\n## Install\n\nRun it. Then wait for a minute. It starts by itself.' },
      ],
      output: [
        {
          id: '1',
          body: '# Guide\n\nWelcome.\n\n## Install\n\nRun it. Then wait for a minute. It starts by itself.',
          ___children: [
            {
              id: '1-1',
              parent_id: '1',
              chunk_number: 1,
              total_chunks: 3,
              headings: ['Guide'],
              offset: 9,
              length: 8,
              text: 'Guide\n\nWelcome.',
            },
            {
              id: '1-2',
              parent_id: '1',
              chunk_number: 2,
              total_chunks: 3,
              headings: ['Guide', 'Install'],
              offset: 31,
              length: 32,
              text: 'Guide > Install\n\nRun it. Then wait for a minute.',
            },
            {
              id: '1-3',
              parent_id: '1',
              chunk_number: 3,
              total_chunks: 3,
              headings: ['Guide', 'Install'],
              offset: 63,
              length: 20,
              text: 'Guide > Install\n\nIt starts by itself.',
            },
          ],
        },
      ],
    },
  ];

  static override *check(params: Params): Generator<ParameterProblem> {
    const { dest, model, maxTokens, maxCharacters, overlap } = params;
    if (dest === '' || RESERVED_FIELDS.has(dest as string) || CHILD_FIELDS.includes(dest as string)) {
      const message = dest === '' ? 'dest must not be empty' : `dest names ${dest}, which every passage already has`;
      yield { parameter: 'dest', message, hint: 'Choose another name.' };
    }
    if ((model === undefined) === (maxCharacters === undefined)) {
      yield {
        parameter: model === undefined ? 'model' : 'maxCharacters',
        message: model === undefined ? 'The size of passages is unknown' : 'model and maxCharacters are both set',
        hint: 'Set model to the folder of the model that embeds the passages, or set maxCharacters.',
      };
    }
    if (maxTokens !== undefined && model === undefined) {
      yield { parameter: 'maxTokens', message: 'maxTokens needs model, whose tokenizer counts', hint: 'Set model.' };
    }
    const max = maxTokens ?? maxCharacters;
    if (max !== undefined && (overlap as number) * 2 > max) {
      yield { parameter: 'overlap', message: `overlap is more than half of a passage, which has at most ${max}` };
    }
  }

  #divide: ((text: string) => Section[]) | undefined;

  override async checkAccess(): Promise<void> {
    await this.start();
  }

  override async start(): Promise<void> {
    const { model, format, maxCharacters = 0, overlap, withHeadings, endAtPages } = this.params;
    const [{ markdownBlocks, textBlocks }, { sectionsOf }] = await Promise.all([
      import('./passages/blocks.ts'),
      import('./passages/passages.ts'),
    ]);
    const measure =
      model === undefined ? { max: maxCharacters, sizeOf: (text: string) => text.length } : await this.#tokens(model);
    const blocksOf = format === 'text' ? textBlocks : markdownBlocks;
    this.#divide = (text) => sectionsOf(text, blocksOf(text), { ...measure, overlap, withHeadings, endAtPages });
  }

  override process(document: Document): void {
    const { source, dest, sections: withSections } = this.params;
    const given = document.text(source);
    if (given === undefined || given.trim() === '') return;
    const text = given.replace(/\r\n?/g, '\n');
    const sections = this.#divide?.(text) ?? [];
    const total = sections.reduce((count, { passages }) => count + passages.length, 0);
    const children: JsonObject[] = [];
    let number = 0;
    for (const [i, section] of sections.entries()) {
      const { headings, passages, start, end } = section;
      const sectionId = `${document.id}-s${i + 1}`;
      const of = { parent_id: document.id };
      if (withSections) {
        const place = { ...pagesOf(section), offset: start, length: end - start };
        const own = { id: sectionId, ...of, level: 'section', headings: [...headings], ...place };
        children.push(new Map(Object.entries({ ...own, [dest]: section.text })));
      }
      for (const passage of passages) {
        const numbers = { chunk_number: ++number, total_chunks: total };
        const ofSection = withSections ? { section_id: sectionId, level: 'passage' } : {};
        const place = { ...pagesOf(passage), offset: passage.start, length: passage.end - passage.start };
        const own = {
          id: `${document.id}-${number}`,
          ...of,
          ...ofSection,
          ...numbers,
          headings: [...headings],
          ...place,
        };
        children.push(new Map(Object.entries({ ...own, [dest]: passage.text })));
      }
    }
    if (children.length > 0) document.put('___children', [...document.values('___children'), ...children]);
  }

  /** Returns the limit in tokens, and the function that counts them. */
  async #tokens(model: string): Promise<{ max: number; sizeOf: (text: string) => number }> {
    const { readModelSettings } = await import('./model/model-settings.ts');
    try {
      const files = new ModelFiles(model);
      const { maxLength } = await readModelSettings(files, {});
      const tokenizer = await Tokenizer.open(files, { maxLength, computeMillis: this.context.computeMillis });
      const most = maxLength - tokenizer.special;
      return { max: Math.min(this.params.maxTokens ?? most, most), sizeOf: (text) => tokenizer.count(text) };
    } catch (error) {
      throw modelError(model, error);
    }
  }
}

/** Returns the fields for the pages of a passage or a section; none if the text has no marks of pages. */
function pagesOf({ page, pageEnd }: Pick<Section, 'page' | 'pageEnd'>): Record<string, number> {
  return { ...(page === undefined ? {} : { page }), ...(pageEnd === undefined ? {} : { pageEnd }) };
}
