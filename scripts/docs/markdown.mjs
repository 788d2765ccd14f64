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

/** Returns JSON whose short lists and objects are on one line. */
export function jsonText(value, indent = '') {
  const line = jsonLine(value);
  if (line.length + indent.length <= 100 || value === null || typeof value !== 'object') return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + jsonText(item, inner)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${jsonText(member, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function jsonLine(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
