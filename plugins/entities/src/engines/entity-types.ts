/** The types of names that the engine compromise finds, and the words that mean them. */
const TYPES = {
  person: /person|people|names?\b/i,
  location: /location|place|cit(y|ies)|countr/i,
  organization: /organi[sz]ation|compan(y|ies)|\borgs?\b/i,
} as const;
export type EntityType = keyof typeof TYPES;
export const ENTITY_TYPES = Object.keys(TYPES) as EntityType[];

/**
 * Returns the type that an entry of the parameter `models` means: by its model, such as en-ner-person.bin, or by its
 * field. Returns undefined if neither names a type.
 */
export function entityTypeOf(field: string, model: string): EntityType | undefined {
  const file = model.split(/[/\\]/).at(-1) ?? '';
  return [file, field].flatMap((text) => ENTITY_TYPES.filter((type) => TYPES[type].test(text)))[0];
}
