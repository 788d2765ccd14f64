/**
 * Writing batches to servers, for plugins.
 *
 * @module
 */
export * from '@headrace/components/delivery';
