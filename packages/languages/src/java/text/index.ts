export { base64Size, decodeBase64 } from './base64.ts';
export { folderOf, normalizeFilePath } from './file-path.ts';
export { stringHash } from './string-hash.ts';
export { isBlank, javaTrim } from './text.ts';
export { sentenceCase, titleCase } from './text-case.ts';
export { compileTextFormat, type TextFormat } from './text-format.ts';
