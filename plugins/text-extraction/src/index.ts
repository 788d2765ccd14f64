/**
 * The components of the plugin.
 *
 * @module
 */
export { TextExtractor } from './text-extractor.ts';
