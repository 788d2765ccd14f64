import { resolve } from 'node:path';
import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import type { CatalogEntry, ComponentKind } from '../component/catalog.ts';
import { join, memberOf, place, scalarText } from '../component/config-nodes.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import {
  checkParameters,
  type NamedFile,
  type ParameterProblem,
  parameterKeys,
  type TouchedFile,
} from '../component/parameters.ts';
import { missingPlugin } from '../component/plugin-classes.ts';
import type { Registry } from '../component/registry.ts';
import { HeadraceError, hintOf, messageOf } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import { currentRules } from '../policy/current-policy.ts';
import { POLICY_HINT, type PolicyRules } from '../policy/policy-rules.ts';

/** A file that a component reads or writes, and the position of the component in the config. */
export interface ComponentFile extends NamedFile {
  readonly owner: ComponentKind;
  /** The position of the component in the config. */
  readonly at: string;
  /** The name of the component in problem reports. */
  readonly component: string;
}

/**
 * Collects the problems of a config and the files of its components. Each problem includes the name of its component.
 */
export class ProblemList {
  readonly problems: Problem[] = [];
  /** The files of the components that a run starts. Disabled components are not included. */
  readonly files: ComponentFile[] = [];
  /** Top-level keys that were already reported as misspelt block names. The check does not report them again. */
  readonly misnamed = new Set<string>();
  /** True if the check may read files that the config names. */
  readonly readFiles: boolean;
  /** The policy for the config. Undefined means no restrictions. */
  readonly rules: PolicyRules | undefined;

  /** @param rules the policy; defaults to the policy of the current thread */
  constructor(readFiles = true, rules = currentRules()) {
    this.readFiles = readFiles;
    this.rules = rules;
  }

  add(problem: Omit<Problem, 'severity'> & { severity?: Problem['severity'] }): void {
    this.problems.push({ severity: 'error', ...problem });
  }

  addAll(problems: readonly Problem[], component: string): void {
    for (const problem of problems) this.problems.push({ ...problem, component });
  }
}

/** Returns the name of a component in problem reports: its class, and its name if it has one. */
export function displayName(className: string, name: string | undefined): string {
  return name === undefined ? className : `${className} (${name})`;
}

/** Finds the class that a node names. If the class does not exist, reports a problem and returns undefined. */
export async function findClass(
  kind: ComponentKind,
  node: ObjectNode,
  path: string,
  registry: Registry,
  list: ProblemList,
  component: string | undefined,
): Promise<CatalogEntry | undefined> {
  const about = component === undefined ? {} : { component };
  const classNode = node.entries.get('class');
  if (classNode === undefined || classNode.kind === 'null') {
    const noun = kind === 'stage' ? 'Stage' : 'Connector';
    list.add({
      code: 'HR_CONFIG_MISSING_CLASS',
      path,
      ...place(node.origin),
      ...about,
      message: `No ${noun} class specified`,
      hint: `Add class: "…". ${lists(kind)}.`,
    });
    return undefined;
  }
  const name = scalarText(classNode);
  // A class that is not a string is reported by the check of the common keys.
  if (name === undefined) return undefined;
  const where = { path: join(path, 'class'), ...place(classNode.origin), ...about };
  try {
    const entry = await registry.find(kind, name);
    if (entry !== undefined) return isAllowed(entry, where, registry, list) ? entry : undefined;
    const suggestion = registry.suggest(kind, name);
    list.add({
      code: 'HR_CONFIG_UNKNOWN_CLASS',
      ...where,
      ...(missingPlugin(kind, name) ?? {
        message: `There is no ${kind} ${name}`,
        hint: suggestion === undefined ? `${lists(kind)}.` : `Did you mean ${suggestion}?`,
      }),
    });
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error;
    list.add({
      code: error.code,
      ...where,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
  return undefined;
}

/** Returns a hint that says where all names of a kind are listed. */
function lists(kind: ComponentKind): string {
  return `\`headrace components\` and GET /v1/config-info/${kind}-list list the ${kind}s`;
}

/** Returns true if the policy allows the component. Otherwise reports a problem. */
export function isAllowed(
  entry: CatalogEntry,
  where: Pick<Problem, 'path' | 'line' | 'column' | 'file' | 'component'>,
  registry: Registry,
  list: ProblemList,
): boolean {
  const refused = list.rules?.refusedComponent(entry, registry.isBuiltIn(entry.module));
  if (refused === undefined) return true;
  const { code, reason, hint } = refused;
  list.add({ code, ...where, message: `An uploaded config may not use ${entry.name}: ${reason}`, hint });
  return false;
}

/**
 * Checks the parameters of a component in three steps: the schema, the `check` method of the class, the constructor. A
 * step only runs if the step before it found no error.
 * @param shared keys that every component of this kind has
 * @param indexer for an indexer: the block `indexer`, because the check of an indexer may report problems in it
 * @param disabled true if the component is never started
 */
export async function checkComponent(
  entry: CatalogEntry,
  node: ObjectNode,
  path: string,
  component: string,
  shared: ReadonlySet<string>,
  registry: Registry,
  list: ProblemList,
  build: (params: Record<string, unknown>, Class: { new (params: never, context: never): unknown }) => void,
  indexer?: { readonly block: ObjectNode; readonly settings: IndexerSettings },
  disabled = false,
): Promise<Record<string, unknown> | undefined> {
  const checked = checkParameters(entry.schema, node, path, shared, list.rules);
  list.addAll(checked.problems, component);
  const about = { owner: entry.kind, at: path, component };
  // A stage decides how it uses a file name, so it lists its files in `touches`.
  if (entry.kind !== 'stage') list.files.push(...checked.files.map((file) => ({ ...file, ...about })));
  if (checked.problems.some((problem) => problem.severity === 'error')) return undefined;
  try {
    const Class = await registry.load(entry, entry.kind);
    const check = (Class as { check?: (...args: unknown[]) => Iterable<ParameterProblem> }).check;
    const found = [...(check?.call(Class, checked.value, indexer?.settings) ?? [])].map((problem) =>
      problem.atStart === true && disabled ? { ...problem, severity: 'warning' as const } : problem,
    );
    for (const problem of found) {
      if (problem.block === 'indexer' && indexer !== undefined)
        list.addAll([located(problem, indexer.block, 'indexer')], 'indexer');
      else list.addAll([located(problem, node, path)], component);
    }
    if (found.some((problem) => problem.severity !== 'warning')) return undefined;
    const touches = (Class as { touches?: (...args: unknown[]) => Iterable<TouchedFile> }).touches;
    const touched = [...(touches?.call(Class, checked.value, component) ?? [])];
    for (const { parameter, access, path: text } of disabled ? [] : touched) {
      list.files.push({ kind: access, where: whereIs(parameter, node, path), text, target: resolve(text), ...about });
    }
    const refused = refusedFiles(touched, list.rules);
    for (const problem of refused) {
      list.addAll([{ ...located(problem, node, path), code: 'HR_POLICY_REFUSED' }], component);
    }
    if (refused.length > 0) return undefined;
    build(checked.value, Class as { new (params: never, context: never): unknown });
    return checked.value;
  } catch (error) {
    const hint = hintOf(error);
    list.add({
      code: error instanceof HeadraceError ? error.code : 'HR_CONFIG_INVALID_VALUE',
      path,
      ...place(node.origin),
      component,
      message: messageOf(error),
      ...(hint === undefined ? {} : { hint }),
    });
    return undefined;
  }
}

function refusedFiles(touched: Iterable<TouchedFile>, rules: PolicyRules | undefined): ParameterProblem[] {
  return [...touched].flatMap(({ parameter, access, path, verb }) => {
    const refused = rules?.files.refusedText(path, access);
    if (refused === undefined) return [];
    return [{ parameter, message: `An uploaded config may not ${verb} ${path}: ${refused}`, hint: POLICY_HINT }];
  });
}

/**
 * Converts a problem from the `check` method of a component. Adds the position of the parameter that the problem names.
 */
export function located(problem: ParameterProblem, node: ObjectNode, path: string): Problem {
  return {
    severity: problem.severity ?? 'error',
    code: problem.code ?? 'HR_CONFIG_INVALID_VALUE',
    ...whereIs(problem.parameter, node, path),
    message: problem.message,
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
  };
}

function whereIs(parameter: ParameterProblem['parameter'], node: ObjectNode, path: string): NamedFile['where'] {
  let at: ConfigNode = node;
  let fullPath = path;
  for (const key of parameterKeys({ parameter })) {
    fullPath = join(fullPath, key);
    at = memberOf(at, key) ?? at;
  }
  return { path: fullPath, ...place(at.origin) };
}
