/** What a label of a model says about a token. */
export interface Label {
  /** The type of the name, such as PER; undefined if the token belongs to no name. */
  readonly type: string | undefined;
  /** Whether a name begins at this token. */
  readonly begins: boolean;
  /** Whether a name ends after this token. */
  readonly ends: boolean;
}

const SCHEME = /^([BIESLUM])[-_](.+)$/;

/**
 * Reads a label of the schemes IO, BIO, BIOES, BILOU and BMES, such as B-PER or PER. Adjacent tokens of one type are one
 * name, unless a label says that a name begins or ends.
 */
export function readLabel(label: string): Label {
  const [, mark = 'I', type = label] = SCHEME.exec(label) ?? [];
  const isOutside = label === 'O';
  return { type: isOutside ? undefined : type, begins: 'BSU'.includes(mark), ends: 'ESUL'.includes(mark) };
}
