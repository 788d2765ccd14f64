/** The URL of the catalog of the built-in components, which the build writes. */
export const catalogUrl: string = new URL('./catalog.jsonl', import.meta.url).href;
