/** Where the catalog of the built-in components is; written by the build. */
export const catalogUrl: string = new URL('./catalog.jsonl', import.meta.url).href;
