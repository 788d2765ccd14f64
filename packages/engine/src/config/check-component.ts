import { resolve } from 'node:path';
import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import type { CatalogEntry, ComponentKind } from '../component/catalog.ts';
import { join, memberOf, place, scalarText } from '../component/config-nodes.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import { missingPlugin } from '../component/missing-plugins.ts';
import {
  checkParameters,
  type NamedFile,
  type ParameterProblem,
  parameterKeys,
  type TouchedFile,
} from '../component/parameters.ts';
import type { Registry } from '../component/registry.ts';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import { currentRules } from '../policy/current-policy.ts';
import { POLICY_HINT, type PolicyRules } from '../policy/policy-rules.ts';

/** A file that a component of the config reads or writes. */
export interface ComponentFile extends NamedFile {
  readonly owner: ComponentKind;
  /** Where the component stands in the config. */
  readonly at: string;
  /** What it is called in problems. */
  readonly component: string;
}

/** Collects the problems of a config, with the name of the component that each is about, and the files of components. */
export class ProblemList {
  readonly problems: Problem[] = [];
  /** Of those that take part in a run. */
  readonly files: ComponentFile[] = [];
  /** Keys at the top that were reported as blocks with a wrong name: nothing more is said of them. */
  readonly misnamed = new Set<string>();
  /** Whether files that the config names may be read for the check. */
  readonly readFiles: boolean;
  /** What the config may do; undefined: everything. */
  readonly rules: PolicyRules | undefined;

  /** @param rules those of the thread, when absent */
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

/** What a component is called in problems: its class, and its name if it has one. */
export function displayName(className: string, name: string | undefined): string {
  return name === undefined ? className : `${className} (${name})`;
}

/** Finds the class that a node names; undefined, with a problem, when there is none. */
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
  // The check of the keys that all components share tells of a class that is no text.
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

/** Where the names are found: on the command line, and over HTTP. */
function lists(kind: ComponentKind): string {
  return `\`headrace components\` and GET /v1/config-info/${kind}-list list the ${kind}s`;
}

/** Whether the policy lets the config use a component; a problem, if not. */
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
 * Checks the parameters of a component: the schema, then, when that holds, what the class itself checks, then
 * whether it can be constructed.
 *
 * @param shared keys that every component of the kind has
 * @param indexer the block `indexer`, for an indexer: its check may tell of it too
 * @param disabled whether it is never started
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
  // What a stage makes of such a name it tells itself.
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
    const known = error instanceof HeadraceError;
    list.add({
      code: known ? error.code : 'HR_CONFIG_INVALID_VALUE',
      path,
      ...place(node.origin),
      component,
      message: messageOf(error),
      ...(known && error.hint !== undefined ? { hint: error.hint } : {}),
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

/** A problem of a component's own check, with the place of the parameter that it names. */
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
