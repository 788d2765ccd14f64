/**
 * The files of local disks and of clouds, for plugins.
 *
 * @module
 */
export * from '@headrace/components/storage';
