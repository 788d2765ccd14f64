/**
 * The file handler of the plugin.
 *
 * @module
 */
export { VideoFileHandler } from './video-file-handler.ts';
