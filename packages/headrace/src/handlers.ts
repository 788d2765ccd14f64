/**
 * File handlers, for plugins.
 *
 * @module
 */
export * from '@headrace/components/handlers';
