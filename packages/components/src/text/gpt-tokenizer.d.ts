/** What of the library is used, for as long as it is not installed everywhere. */
declare module 'gpt-tokenizer/encoding/cl100k_base' {
  export function encode(text: string, options: { disallowedSpecial: ReadonlySet<string> }): number[];
}
