/** The beginning of an answer for a message: on one line, and no longer than so many characters. */
export function excerpt(body: Uint8Array, most: number): string {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 4 * most)).toString();
  const said = start.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  return said.length > most ? `${said.slice(0, most)}…` : said;
}
