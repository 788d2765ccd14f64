import { type Document, HeadraceError, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { base64Size } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field with the bytes. */
  source: Type.String(),
  /** The field for their number. The previous value is replaced. */
  dest: Type.String(),
});

/**
 * Writes how many bytes a field holds, for example the content of a file.
 *
 * The field has bytes, or a text in base64 (standard alphabet, with padding), whose decoded bytes count: "aGk=" has 2.
 * White space may separate its groups of four characters. Anything else (other text, a number, null) has no size in
 * bytes and fails the document. If the field is a list, its first value counts. A missing field and an empty list
 * change nothing.
 */
export class ComputeFieldSize extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The size of a file',
      params: { source: 'file_content', dest: 'file_size' },
      documents: [{ id: '1', file_content: 'aGVsbG8=' }],
      output: [{ id: '1', file_content: 'aGVsbG8=', file_size: 5 }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('dest', params.dest);
  }

  override process(document: Document): void {
    const { source, dest } = this.params;
    const value = document.first(source);
    if (value === undefined) return;
    const size = value instanceof Uint8Array ? value.length : typeof value === 'string' ? base64Size(value) : undefined;
    if (size === undefined) {
      throw new HeadraceError('HR_DOCUMENT_TYPE', `Field "${source}" holds neither bytes nor a text in base64`);
    }
    document.set(dest, size);
  }
}
