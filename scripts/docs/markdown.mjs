// The little Markdown that the generated pages need.

/** Prose for Markdown: nothing in it is markup. Code is in back quotes already. */
export function prose(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/([\\*_<>[\]])/g, '\\$1')))
    .join('');
}

export function code(text) {
  return `\`${text}\``;
}

/** A table; an empty one is nothing. Columns without any content are left out. */
export function table(headings, rows) {
  const used = headings.map((_, i) => rows.some((row) => row[i] !== ''));
  const line = (cells) => `| ${cells.filter((_, i) => used[i]).join(' | ')} |`;
  const cell = (text) => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
  return [line(headings), line(headings.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n');
}

export function block(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
