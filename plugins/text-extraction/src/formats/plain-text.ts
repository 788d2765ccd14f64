import { decodeText } from './charset.ts';
import type { FormatReader } from './format.ts';

/** Reads text files in any encoding. */
export const readPlainText: FormatReader = ({ bytes, charset }, to) => {
  const { text, encoding } = decodeText(bytes, charset);
  to.describe('Content-Encoding', encoding);
  to.add({ kind: 'lines', text });
};
