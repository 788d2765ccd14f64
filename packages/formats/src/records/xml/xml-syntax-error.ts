/** The error for a text that is not well-formed XML. */
export class XmlSyntaxError extends Error {
  override readonly name = 'XmlSyntaxError';
  /** The line of the error, counted from 1. */
  readonly line: number;
  /** True if the text ends too early. Before its end there is no error. */
  readonly endsEarly: boolean;

  constructor(message: string, line: number, endsEarly = false) {
    super(message);
    this.line = line;
    this.endsEarly = endsEarly;
  }
}
