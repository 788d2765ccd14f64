import type { ConfigNode, ListNode, ObjectNode } from '@headrace/hocon';
import { conditionParameters, GROUP_KEYS } from '../component/common-parameters.ts';
import { asList, join, place, placeOf } from '../component/config-nodes.ts';
import { checkParameters } from '../component/parameters.ts';
import { Type } from '../component/schema.ts';
import {
  type ConditionConfig,
  type ConditionGroup,
  conditionPattern,
  conditionTexts,
  type FieldCondition,
  readConditionValues,
} from '../conditions/conditions.ts';
import { Double, type Value } from '../document/value.ts';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { ProblemList } from './check-component.ts';

/** A condition on fields, after the schema check. */
interface ReadCondition {
  readonly fields?: readonly string[];
  readonly operator?: FieldCondition['operator'];
  readonly values?: Value[];
  readonly valuesPath?: string;
}

/** The component to name in problems, and the list that collects them. */
interface Checking {
  readonly component: string;
  readonly list: ProblemList;
}

/** Checks the key `conditions` of a stage, including nested groups. Returns undefined if the key is absent. */
export function checkConditions(
  stage: ObjectNode,
  path: string,
  component: string,
  list: ProblemList,
): ConditionConfig[] | undefined {
  const node = stage.entries.get('conditions');
  if (node === undefined || node.kind === 'null') return undefined;
  return checkList('conditions', stage, path, { component, list });
}

/** Checks the list of conditions under a key of an object. Returns the conditions. */
function checkList(key: string, parent: ObjectNode, path: string, checking: Checking): ConditionConfig[] {
  const listed = parent.entries.get(key) as ConfigNode;
  const nodes = asList(listed) ?? [];
  const schema = Type.Object({ [key]: Type.Optional(Type.Array(conditionParameters)) });
  const plain = withEntry(parent, key, withoutGroups(listed, nodes));
  const read = checkParameters(schema, plain, path, undefined, checking.list.rules);
  checking.list.addAll(read.problems, checking.component);
  const conditions = (read.value[key] ?? []) as ReadCondition[];
  return conditions.map((condition, i) => {
    const at = `${join(path, key)}[${i}]`;
    const node = nodes[i] ?? listed;
    return isGroup(node) ? checkGroup(node, at, checking) : checkFields(condition, node, at, checking);
  });
}

function isGroup(node: ConfigNode): node is ObjectNode {
  return node.kind === 'object' && GROUP_KEYS.some((key) => node.entries.has(key));
}

/** Returns the list with each group replaced by an empty condition, so that the list matches the schema. */
function withoutGroups(listed: ConfigNode, nodes: readonly ConfigNode[]): ConfigNode {
  if (!nodes.some(isGroup)) return listed;
  const items = nodes.map((node) => {
    if (!isGroup(node)) return node;
    const fields: ListNode = { kind: 'list', items: [], origin: node.origin };
    return { ...node, entries: new Map<string, ConfigNode>([['fields', fields]]) };
  });
  return { kind: 'list', items, origin: listed.origin } as ListNode;
}

function withEntry(node: ObjectNode, key: string, entry: ConfigNode): ObjectNode {
  return { ...node, entries: new Map([[key, entry]]) };
}

function checkGroup(node: ObjectNode, path: string, checking: Checking): ConditionGroup {
  const { component, list } = checking;
  const group = GROUP_KEYS.find((key) => node.entries.has(key)) as ConditionGroup['group'];
  const others = [...node.entries.keys()].filter((key) => key !== group);
  if (others.length > 0) {
    list.add({
      code: 'HR_CONFIG_INVALID_VALUE',
      path,
      ...place(node.origin),
      component,
      message: `A group of conditions can only have the key ${group}, but this group also has ${others.join(', ')}`,
      hint: 'Write { and: [ … ] }, { or: [ … ] } or { not { … } }. To combine them, nest one group in another.',
    });
  }
  const child = node.entries.get(group) as ConfigNode;
  if (group === 'not') {
    const schema = Type.Object({ not: conditionParameters });
    if (isGroup(child)) return { group, conditions: [checkGroup(child, join(path, group), checking)] };
    const read = checkParameters(schema, withEntry(node, group, child), path, undefined, list.rules);
    list.addAll(read.problems, component);
    const condition = read.value['not'] as ReadCondition | undefined;
    if (condition === undefined) return { group, conditions: [] };
    return { group, conditions: [checkFields(condition, child, join(path, group), checking)] };
  }
  if (child.kind === 'null') return { group, conditions: [] };
  const conditions = checkList(group, node, path, checking);
  if (child.kind === 'list' && conditions.length === 0) {
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: join(path, group),
      ...place(child.origin),
      component,
      message: `The group has no conditions, so it is ${group === 'and' ? 'always' : 'never'} true`,
      hint: 'Fill the list, or remove the group.',
    });
  }
  return { group, conditions };
}

function checkFields(
  { fields, operator = 'must', values, valuesPath }: ReadCondition,
  node: ConfigNode,
  path: string,
  { component, list }: Checking,
): FieldCondition {
  const where = { path, ...place(node.origin), component };
  if (values !== undefined && valuesPath !== undefined) {
    list.add({
      code: 'HR_CONFIG_INVALID_VALUE',
      ...where,
      message: "Specify either 'values' or 'valuesPath', not both.",
    });
  }
  const idle = (key: 'fields' | 'values', message: string) =>
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      ...where,
      ...placeOf(node, key),
      path: join(path, key),
      message,
      hint: 'Fill the list, or remove the condition.',
    });
  if (fields?.length === 0) idle('fields', 'The condition has no fields, so it is always true');
  const isMust = operator === 'must' || operator === 'must_not';
  if (values?.length === 0 && isMust) {
    idle('values', `The condition has no values, so it is ${operator === 'must' ? 'never' : 'always'} true`);
  }
  let texts: readonly (string | null)[] | undefined = values === undefined ? undefined : conditionTexts(values);
  if (valuesPath !== undefined && list.readFiles) {
    try {
      texts = readConditionValues(valuesPath);
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error;
      list.add({ code: error.code, ...where, message: error.message, ...(error.hint ? { hint: error.hint } : {}) });
    }
  }
  if (!isMust) {
    const at = { ...where, ...placeOf(node, 'values') };
    for (const problem of wrongOperands(operator, values, valuesPath, texts)) {
      list.add({ code: 'HR_CONFIG_INVALID_VALUE', ...at, ...problem });
    }
  }
  return { fields: fields ?? [], operator, values: texts };
}

/** Yields the problems of the operands: the values of a comparison, or the regular expressions of `matches`. */
function* wrongOperands(
  operator: FieldCondition['operator'],
  values: readonly Value[] | undefined,
  valuesPath: string | undefined,
  texts: readonly (string | null)[] | undefined,
): Generator<Pick<Problem, 'message' | 'hint'>> {
  if (operator !== 'matches') {
    const [operand] = values ?? [];
    const isScalar = ['string', 'number', 'bigint', 'boolean'].includes(typeof operand) || operand instanceof Double;
    if (valuesPath !== undefined || values?.length !== 1 || !isScalar) {
      yield {
        message: `The operator ${operator} needs exactly one value`,
        hint: `Write a number, a date or a string, for example values: [10].`,
      };
    }
    return;
  }
  if (values === undefined ? valuesPath === undefined : values.length === 0) {
    yield {
      message: 'The operator matches needs values',
      hint: 'Add regular expressions, for example values: ["^draft"].',
    };
  }
  for (const text of texts ?? []) {
    try {
      conditionPattern(text ?? '');
    } catch (error) {
      yield {
        message: `${JSON.stringify(text)} is not a regular expression: ${messageOf(error)}`,
        hint: 'Use the regular expressions of JavaScript with the flag u. Escape only characters with a special meaning.',
      };
    }
  }
}
