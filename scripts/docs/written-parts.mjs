// Replaces the generated tables of pages that people write.

const END = '<!-- End of the written table. -->';

/**
 * Returns the page with these tables between the lines that begin and end them.
 * @param page the text of the page
 * @param source where the tables come from, as the first line of each says
 */
export function withTables(page, source, tables) {
  const begin = `<!-- Written by \`npm run docs\` from ${source}. Changes belong there. -->`;
  const [start, ...parts] = page.split(begin);
  const rest = parts.map((part) => part.split(END)[1]);
  if (rest.length !== tables.length || rest.includes(undefined))
    throw new Error(`The page needs the lines ${begin} and ${END} for ${tables.length} tables`);
  return start + rest.map((text, i) => `${begin}\n\n${tables[i]}\n\n${END}${text}`).join('');
}
