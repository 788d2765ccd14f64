/**
 * The maximum number of characters that the entities of a document expand to. A few bytes could expand to gigabytes.
 */
const MAX_EXPANSION = 1_000_000;
const MAX_DEPTH = 20;

/** Also matches comments and processing instructions, so that declarations inside them are skipped. */
const DECLARATION =
  /<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!ENTITY\s+(%\s+)?([^\s"'<>&%]+)\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\b)/g;
const CHARACTER = /&#(?:x([0-9a-fA-F]+)|([0-9]+));/g;
const ENTITY = /&([^;&\s]+);/g;
const PREDEFINED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Returns the texts of the entities that a document type declares inside the document, by name, and the predefined
 * ones. Each look-up counts: after a million characters it throws. External entities, which would read another file,
 * and entities with markup throw when they are looked up. A document that does not use them can still be read.
 * @param doctype the text between `<!DOCTYPE` and its `>`
 */
export function declaredEntities(doctype: string): Record<string, string> {
  const declared = new Map<string, string | undefined>();
  for (const [, parameter, name, double, single] of doctype.matchAll(DECLARATION)) {
    // The first declaration of a name counts.
    if (name !== undefined && parameter === undefined && !declared.has(name)) declared.set(name, double ?? single);
  }
  const entities: Record<string, string> = Object.assign(Object.create(null), PREDEFINED);
  const texts = new Map<string, string>();
  let expanded = 0;
  const expand = (name: string, depth: number): string => {
    let text = texts.get(name);
    if (text === undefined) {
      const literal = declared.get(name);
      if (literal === undefined) throw new SyntaxError(`the entity &${name}; is external, which is not read`);
      if (depth > MAX_DEPTH) throw new SyntaxError(`the entity &${name}; refers to itself, or to too many others`);
      const replacement = literal.replace(CHARACTER, character);
      if (replacement.includes('<'))
        throw new SyntaxError(`the entity &${name}; contains markup, which is not expanded`);
      text = replacement.replace(CHARACTER, character).replace(ENTITY, (reference, other: string) => {
        if (Object.hasOwn(PREDEFINED, other)) return PREDEFINED[other as keyof typeof PREDEFINED];
        if (!declared.has(other)) throw new SyntaxError(`the entity ${reference} is not declared`);
        return expand(other, depth + 1);
      });
      texts.set(name, text);
    }
    expanded += text.length;
    if (expanded > MAX_EXPANSION) throw new SyntaxError(`entities expand to more than ${MAX_EXPANSION} characters`);
    return text;
  };
  for (const name of declared.keys()) {
    if (!Object.hasOwn(PREDEFINED, name)) Object.defineProperty(entities, name, { get: () => expand(name, 0) });
  }
  return entities;
}

function character(reference: string, hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new SyntaxError(`${reference} is not a character`);
  return String.fromCodePoint(code);
}
