export { type CharsetDecoder, charsetDecoder, labelDecoder } from './charset.ts';
export { ebcdicEncoding } from './detect-ebcdic.ts';
export { firstTelling, guessEncoding, markedEncoding, SAMPLE_BYTES, unmarkedUtf16 } from './detect-encoding.ts';
export { escapedEncoding } from './detect-escapes.ts';
export { feedText } from './feed-text.ts';
export { htmlText } from './html-text.ts';
export { firstInvalidUtf8, invalidUtf8Bytes, REPLACEMENT, replacements } from './invalid-utf8.ts';
export { TextBlocks } from './text-blocks.ts';
