/**
 * The components of the plugin, and the function for questions.
 *
 * @module
 */
export { ChunkPassages } from './chunk-passages.ts';
export { type EmbedOptions, embedTexts } from './embed-texts.ts';
export { JlamaEmbed } from './jlama-embed.ts';
export { LocalEmbed } from './local-embed.ts';
