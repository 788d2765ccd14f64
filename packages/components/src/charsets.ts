export * from '@headrace/charsets';
