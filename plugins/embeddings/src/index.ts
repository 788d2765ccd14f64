/**
 * The components of the plugin.
 *
 * @module
 */
export { JlamaEmbed } from './jlama-embed.ts';
export { LocalEmbed } from './local-embed.ts';
