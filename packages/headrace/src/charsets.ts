/**
 * Decoding text by the names of encodings, and detecting encodings, for plugins.
 *
 * @module
 */
export * from '@headrace/components/charsets';
