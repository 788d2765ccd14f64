import { type Document, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field with the text. */
  inputField: Type.String(),
  /** The field for the bytes, which may be the same. The previous value is replaced. */
  outputField: Type.String(),
});

/**
 * Decodes a text in base64 into bytes.
 *
 * The standard alphabet and the URL alphabet are accepted, also mixed, with or without padding. Other characters, such
 * as line breaks, are skipped. The text ends at its first "=". So no text fails. In the JSON that is indexed, bytes are
 * base64 in the standard alphabet, with padding.
 *
 * If the field is a list, its first value is decoded. A missing field and an empty list change nothing, null stays
 * null, an empty text becomes no bytes.
 */
export class Base64Decode extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Decodes the URL-safe form of Base64 to bytes',
      params: { inputField: 'encoded', outputField: 'content' },
      documents: [{ id: '1', encoded: 'PDw_Pz8-Pg' }],
      output: [{ id: '1', encoded: 'PDw_Pz8-Pg', content: 'PDw/Pz8+Pg==' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('outputField', params.outputField);
  }

  override process(document: Document): void {
    const { inputField, outputField } = this.params;
    const value = document.first(inputField);
    if (value === undefined) return;
    const text = document.text(inputField);
    document.set(outputField, text === undefined ? null : decode(text));
  }
}

function decode(text: string): Uint8Array {
  // `Buffer.from` uses memory that it shares with other buffers, so the bytes would have to be copied.
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text, 'base64'));
  const length = buffer.write(text, 'base64');
  // White space makes the text shorter than its length suggests.
  return length === buffer.length ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer.subarray(0, length));
}
