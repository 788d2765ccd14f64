/**
 * File handlers, for plugins.
 *
 * @module
 */
export { compileTextFormat } from '@headrace/languages/java/text';
export { type SourceFile, withOpenFile } from '../byte-source.ts';
export type { FormatContext } from '../format-context.ts';
export type { FileFormat, FileHandler } from './file-handler.ts';
