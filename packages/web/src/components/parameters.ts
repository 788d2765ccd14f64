import type { ComponentInfo } from '../api/types.ts';

/** A parameter of a component. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  /** The Java type of a list or a map. */
  readonly reference: string | undefined;
  readonly description: string | undefined;
  readonly default: unknown;
  readonly enum: readonly unknown[] | undefined;
  readonly children: readonly Parameter[];
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly type: {
    readonly type: string;
    readonly typeReference?: string;
    readonly child?: { readonly fields: readonly unknown[] };
  };
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
}

/** Parameters that every component of a kind has. They come last. */
const COMMON = new Set(['class', 'name', 'enabled', 'conditions', 'conditionPolicy']);

/** Returns the parameters of a component: required ones first, those of every component last. */
export function parametersOf({ fields }: ComponentInfo): Parameter[] {
  const rank = ({ name, required }: Parameter) => (COMMON.has(name) ? 2 : required ? 0 : 1);
  return (fields as readonly Field[])
    .filter(({ name }) => name !== 'class')
    .map(parameterOf)
    .sort((a, b) => rank(a) - rank(b));
}

function parameterOf(field: Field): Parameter {
  return {
    name: field.name,
    required: field.required,
    type: field.type.type,
    reference: field.type.typeReference,
    description: field.description,
    default: field.default,
    enum: field.enum,
    children: ((field.type.child?.fields ?? []) as readonly Field[]).map(parameterOf),
  };
}

/** Returns the type of a parameter in words: `text`, `list of texts`, `map of texts`. */
export function typeName({ type, reference, children }: Pick<Parameter, 'type' | 'reference' | 'children'>): string {
  if (reference !== undefined) {
    const item = /String/.test(reference.replace(/^.*</, '')) ? 'texts' : 'values';
    if (/List|Set|\[\]/.test(reference)) return `list of ${item}`;
    if (/Map/.test(reference)) return `map of ${item}`;
  }
  if (type === 'OBJECT') return children.length > 0 ? 'block' : 'object';
  return { STRING: 'text', NUMBER: 'number', BOOLEAN: 'true or false' }[type] ?? type.toLowerCase();
}
