import type { Component, ConfigKnowledge, Parameter } from './config-knowledge.ts';

/** Returns the documentation of a parameter in Markdown. */
export function parameterDocumentation(parameter: Parameter): string {
  const { name, typeName, required, choices, deprecated } = parameter;
  const facts = [typeName, required ? 'required' : 'optional', ...(deprecated ? ['deprecated'] : [])];
  const parts = [`**${name}** (${facts.join(', ')})`];
  if (parameter.description !== undefined) parts.push(parameter.description);
  const details: string[] = [];
  if (choices.length > 0) details.push(`Values: ${choices.map(code).join(', ')}.`);
  if (parameter.default !== undefined) details.push(`Default: ${code(shownDefault(parameter.default))}.`);
  if (details.length > 0) parts.push(details.join(' '));
  return parts.join('\n\n');
}

/** Returns the documentation of a component in Markdown, with its required parameters. */
export function componentDocumentation(component: Component, knowledge: ConfigKnowledge): string {
  const { class: name, kind, description, type, block } = component;
  const parts = [`**${name}** (${kind})`];
  if (description !== undefined) parts.push(description);
  const required = knowledge.parametersOf(component).filter((parameter) => parameter.required);
  if (required.length > 0) parts.push(`Required: ${required.map((parameter) => code(parameter.name)).join(', ')}.`);
  if (type !== undefined) {
    parts.push(
      `Selected by ${code(`indexer.type: ${type}`)}.${block === undefined ? '' : ` Parameters: ${code(block)}.`}`,
    );
  }
  return parts.join('\n\n');
}

/** Returns the first sentence of a description. */
export function firstSentence(description: string | undefined): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(description ?? '')?.[0] ?? description ?? '';
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function shownDefault(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
