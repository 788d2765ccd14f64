/**
 * The HTTP client of the components, for plugins.
 *
 * @module
 */
export * from '@headrace/components/http';
