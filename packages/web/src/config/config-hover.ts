import type { EditPath, FieldSyntax, ObjectSyntax, Span, ValueSyntax } from '@headrace/hocon';
import { componentOf } from './config-context.ts';
import type { ConfigKnowledge } from './config-knowledge.ts';
import { componentDocumentation, parameterDocumentation } from './documentation.ts';
import { type ParsedConfig, simpleText } from './parsed-config.ts';

/** The documentation of a part of the text. */
export interface ConfigHover extends Span {
  /** In Markdown. */
  readonly text: string;
}

/** Returns the documentation of the class, parameter or block at an offset. */
export function hoverAt(config: ParsedConfig, offset: number, knowledge: ConfigKnowledge): ConfigHover | undefined {
  const found = config.tree.root === undefined ? undefined : fieldAt(config.tree.root, [], offset);
  if (found === undefined) return undefined;
  const { field, path } = found;
  const { from, to } = field.key;
  if (from <= offset && offset <= to) {
    const block = path.length === 1 ? knowledge.ofBlock(String(path[0])) : undefined;
    if (block !== undefined) return { from, to, text: componentDocumentation(block, knowledge) };
    const parameter = knowledge.parameterAt(config, path);
    return parameter && { from, to, text: parameterDocumentation(parameter) };
  }
  const component = componentOf(config, path);
  const last = path.at(-1);
  if (component === undefined || path.length !== component.path.length + 1) return undefined;
  if (last !== 'class' && !(component.kind === 'indexer' && last === 'type')) return undefined;
  const { value } = field;
  if (value === undefined || offset < value.from || offset > value.to) return undefined;
  const described = knowledge.component(component.kind, simpleText(value, config.text) ?? component.className);
  return described && { from: value.from, to: value.to, text: componentDocumentation(described, knowledge) };
}

/** Returns the innermost field at an offset, and its path. */
export function fieldAt(
  object: ObjectSyntax,
  path: EditPath,
  offset: number,
): { field: FieldSyntax; path: EditPath; object: ObjectSyntax } | undefined {
  const field = object.fields.findLast(({ from }) => from <= offset);
  if (field === undefined || offset > field.to || field.key.path.length === 0) return undefined;
  const own = [...path, ...field.key.path];
  return (field.value && inValue(field.value, own, offset)) ?? { field, path: own, object };
}

function inValue(value: ValueSyntax, path: EditPath, offset: number): ReturnType<typeof fieldAt> {
  for (const part of value.parts) {
    if (offset < part.from || offset > part.to) continue;
    if (part.kind === 'object') return fieldAt(part, path, offset);
    if (part.kind !== 'list') continue;
    const index = part.items.findIndex(({ from, to }) => from <= offset && offset <= to);
    return index < 0 ? undefined : inValue(part.items[index]!, [...path, index], offset);
  }
  return undefined;
}
