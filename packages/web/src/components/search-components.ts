import type { ComponentInfo } from '../api/types.ts';

/** Returns the components that contain all words of a text: matches in names first, then matches in descriptions. */
export function searchComponents(components: readonly ComponentInfo[], text: string): ComponentInfo[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const byName = (a: ComponentInfo, b: ComponentInfo) => a.class.localeCompare(b.class);
  if (words.length === 0) return [...components].sort(byName);
  const rankOf = (component: ComponentInfo): number => {
    const name = component.class.toLowerCase();
    if (words.every((word) => name.includes(word))) return name.startsWith(words[0] as string) ? 0 : 1;
    const all = [name, component.description ?? '', ...component.fields.map((field) => field.name)]
      .join(' ')
      .toLowerCase();
    return words.every((word) => all.includes(word)) ? 2 : 3;
  };
  return components
    .map((component) => ({ component, rank: rankOf(component) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || byName(a.component, b.component))
    .map(({ component }) => component);
}
