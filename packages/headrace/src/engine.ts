/**
 * The whole engine, for plugins. It has no stable API: a plugin must have the version of Headrace.
 *
 * @module
 */
export * from '@headrace/engine';
