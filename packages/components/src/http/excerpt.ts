/**
 * Returns the beginning of a response for a message: one line with at most `most` characters. For an HTML page, returns
 * its title.
 */
export function excerpt(body: Uint8Array, most: number): string {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 4 * most)).toString();
  const said = (titleOf(start) ?? start).replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  return said.length > most ? `${said.slice(0, most)}…` : said;
}

function titleOf(page: string): string | undefined {
  if (!/^\s*<(!doctype html|html)\b/i.test(page)) return undefined;
  return /<title>\s*([^<]*[^<\s])\s*<\/title>/i.exec(page)?.[1];
}
