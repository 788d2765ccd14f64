// Functions for the Markdown of the generated pages.

/** Escapes prose, so that no character is markup. Code is already in back quotes. */
export function prose(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/([\\*_<>[\]])/g, '\\$1')))
    .join('');
}

export function code(text) {
  return `\`${text}\``;
}

/** Returns a table, or an empty text for an empty table. Columns without content are omitted. */
export function table(headings, rows) {
  const used = headings.map((_, i) => rows.some((row) => row[i] !== ''));
  const line = (cells) => `| ${cells.filter((_, i) => used[i]).join(' | ')} |`;
  const cell = (text) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
  return [line(headings), line(headings.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n');
}

export function block(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
