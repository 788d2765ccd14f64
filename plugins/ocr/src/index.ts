/**
 * The components of the plugin.
 *
 * @module
 */
export { ApplyOCR } from './apply-ocr.ts';
