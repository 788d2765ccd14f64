/**
 * The components of the plugin.
 *
 * @module
 */
export { ChunkPassages } from './chunk-passages.ts';
export { JlamaEmbed } from './jlama-embed.ts';
export { LocalEmbed } from './local-embed.ts';
