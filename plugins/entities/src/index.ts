/**
 * The components of the plugin.
 *
 * @module
 */
export { ApplyOpenNLPNameFinders } from './apply-open-nlp-name-finders.ts';
