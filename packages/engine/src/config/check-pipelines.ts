import type { ObjectNode } from '@headrace/hocon';
import { commonParameters } from '../component/common-parameters.ts';
import { asList, join, kindName, place, placeOf, scalarText } from '../component/config-nodes.ts';
import { silentLogger } from '../component/logger.ts';
import { checkParameters } from '../component/parameters.ts';
import type { Registry } from '../component/registry.ts';
import type { TObject } from '../component/schema.ts';
import type { PipelineConfig, StageConfig } from '../execution/pipeline-config.ts';
import { POLICY_HINT } from '../policy/policy-rules.ts';
import { checkComponent, displayName, findClass, type ProblemList } from './check-component.ts';
import { checkConditions } from './check-conditions.ts';
import { MAX_THREADS } from './engine-blocks.ts';

const stageKeys = commonParameters.stage as TObject;
/** The keys of a stage except `conditions`, which `checkConditions` reads. */
const OTHER_KEYS: ReadonlySet<string> = new Set(
  Object.keys(stageKeys.properties).filter((key) => key !== 'conditions'),
);
const STAGE_KEYS: ReadonlySet<string> = new Set(Object.keys(stageKeys.properties));

interface CommonStageParameters {
  name?: string;
  enabled: boolean;
  conditionPolicy: string;
}

/** Checks the list `pipelines`. Returns the pipelines without errors. */
export async function checkPipelines(
  root: ObjectNode,
  registry: Registry,
  list: ProblemList,
): Promise<PipelineConfig[]> {
  const node = root.entries.get('pipelines');
  if (node === undefined || node.kind === 'null') {
    list.add({
      code: 'HR_CONFIG_MISSING_SECTION',
      path: 'pipelines',
      message: 'Configuration does not contain key "pipelines".',
      hint: 'Add pipelines: [{name: "…", stages: [ … ]}]; it may be an empty list.',
    });
    return [];
  }
  const items = node.kind === 'list' && node.items.length === 0 ? [] : asList(node);
  if (items === undefined) {
    list.add({
      code: 'HR_CONFIG_WRONG_TYPE',
      path: 'pipelines',
      ...place(node.origin),
      message: `pipelines is supposed to be a list, was "${kindName(node)}"`,
    });
    return [];
  }
  const pipelines: PipelineConfig[] = [];
  const names = new Set<string>();
  for (const [i, item] of items.entries()) {
    const path = `pipelines[${i}]`;
    if (item.kind !== 'object') {
      list.add({
        code: 'HR_CONFIG_WRONG_TYPE',
        path,
        ...place(item.origin),
        message: `A pipeline is supposed to be a Config, was "${kindName(item)}"`,
      });
      continue;
    }
    const pipeline = await checkPipeline(item, path, registry, list);
    if (pipeline.name !== '' && names.has(pipeline.name)) {
      list.add({
        code: 'HR_CONFIG_DUPLICATE_NAME',
        path: `${path}.name`,
        ...place((item.entries.get('name') ?? item).origin),
        component: pipeline.name,
        message: `More than one pipeline found with name: ${pipeline.name}`,
        hint: 'Give each pipeline a different name.',
      });
    }
    names.add(pipeline.name);
    pipelines.push(pipeline);
  }
  return pipelines;
}

async function checkPipeline(
  node: ObjectNode,
  path: string,
  registry: Registry,
  list: ProblemList,
): Promise<PipelineConfig> {
  const nameNode = node.entries.get('name');
  const name = nameNode === undefined ? undefined : scalarText(nameNode);
  if (name === undefined) {
    list.add({
      code: nameNode === undefined ? 'HR_CONFIG_MISSING_PARAMETER' : 'HR_CONFIG_WRONG_TYPE',
      path: join(path, 'name'),
      ...place((nameNode ?? node).origin),
      message: nameNode === undefined ? 'The pipeline has no name' : 'name must be a string',
      hint: 'Connectors refer to a pipeline by its name.',
    });
  }
  const stagesNode = node.entries.get('stages');
  const items = stagesNode?.kind === 'list' && stagesNode.items.length === 0 ? [] : stagesNode && asList(stagesNode);
  if (items === undefined) {
    list.add({
      code: stagesNode === undefined ? 'HR_CONFIG_MISSING_PARAMETER' : 'HR_CONFIG_WRONG_TYPE',
      path: join(path, 'stages'),
      ...place((stagesNode ?? node).origin),
      component: name ?? path,
      message:
        stagesNode === undefined
          ? "No configuration setting found for key 'stages'"
          : `stages is supposed to be a list, was "${kindName(stagesNode)}"`,
      hint: 'stages may be an empty list.',
    });
  }
  const stages: StageConfig[] = [];
  const names = new Set<string>();
  for (const [i, item] of (items ?? []).entries()) {
    const stagePath = `${path}.stages[${i}]`;
    if (item.kind !== 'object') {
      list.add({
        code: 'HR_CONFIG_WRONG_TYPE',
        path: stagePath,
        ...place(item.origin),
        component: name ?? path,
        message: `A stage is supposed to be a Config, was "${kindName(item)}"`,
      });
      continue;
    }
    const checked = await checkStage(item, stagePath, stages.length + 1, name ?? path, registry, list);
    if (!checked.enabled) continue;
    if (names.has(checked.name)) {
      list.add({
        code: 'HR_CONFIG_DUPLICATE_NAME',
        path: `${stagePath}.name`,
        ...place((item.entries.get('name') ?? item).origin),
        component: name ?? path,
        message: `Two stages of the pipeline are called ${checked.name}`,
        hint: 'A stage without a name is called stage_<position>.',
      });
    }
    names.add(checked.name);
    stages.push(checked);
  }
  return { name: name ?? '', threads: checkThreads(node, path, name ?? path, list), stages };
}

function checkThreads(node: ObjectNode, path: string, component: string, list: ProblemList): number | undefined {
  const threads = node.entries.get('threads');
  if (threads === undefined || threads.kind === 'null') return undefined;
  const value = Math.trunc(Number(scalarText(threads)));
  if (value >= 1 && value <= MAX_THREADS) {
    const refused = list.rules?.refusedNumber({ limit: 'maxThreads', scale: 1 }, 'threads', value);
    if (refused === undefined) return value;
    const where = { path: join(path, 'threads'), ...place(threads.origin), component };
    const message = `An uploaded config may not ${refused}`;
    list.add({ code: 'HR_POLICY_REFUSED', ...where, message, hint: POLICY_HINT });
    return undefined;
  }
  list.add({
    code: 'HR_CONFIG_INVALID_VALUE',
    path: join(path, 'threads'),
    ...place(threads.origin),
    component,
    message: `threads must be a number from 1 to ${MAX_THREADS}`,
  });
  return undefined;
}

async function checkStage(
  node: ObjectNode,
  path: string,
  position: number,
  pipeline: string,
  registry: Registry,
  list: ProblemList,
): Promise<StageConfig & { enabled: boolean }> {
  const className = node.entries.get('class');
  const nameNode = node.entries.get('name');
  const givenName = nameNode === undefined ? undefined : scalarText(nameNode);
  const name = givenName ?? `stage_${position}`;
  const component = displayName((className && scalarText(className)) ?? 'stage', givenName);
  const entry = await findClass('stage', node, path, registry, list, component);

  const own = checkParameters(stageKeys, { ...node, entries: pick(node, OTHER_KEYS) }, path, undefined, list.rules);
  list.addAll(own.problems, component);
  const common = own.value as unknown as CommonStageParameters;
  const conditions = checkConditions(node, path, component, list);
  const policy = common.conditionPolicy?.toLowerCase();
  if (policy !== undefined && policy !== 'all' && policy !== 'any') {
    const hasConditions = (conditions?.length ?? 0) > 0;
    list.add({
      severity: hasConditions ? 'error' : 'warning',
      code: 'HR_CONFIG_INVALID_VALUE',
      path: join(path, 'conditionPolicy'),
      ...place((node.entries.get('conditionPolicy') ?? node).origin),
      component,
      message: `Unsupported condition policy: ${common.conditionPolicy}`,
      hint: 'It is "all" or "any".',
    });
  } else if (conditions === undefined && policy !== undefined && node.entries.has('conditionPolicy')) {
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: join(path, 'conditionPolicy'),
      ...placeOf(node, 'conditionPolicy'),
      component,
      message: 'conditionPolicy has no effect without conditions',
      hint: 'Remove it, or add conditions.',
    });
  }
  const enabled = common.enabled !== false;
  const build = (values: object, Class: { new (params: never, context: never): unknown }) => {
    new Class(
      values as never,
      {
        name,
        pipeline,
        runId: '',
        threadName: '',
        threadNumber: 1,
        shared: new Map(),
        trusted: false,
        log: silentLogger,
      } as never,
    );
  };
  const params =
    entry === undefined
      ? undefined
      : await checkComponent(entry, node, path, component, STAGE_KEYS, registry, list, build, undefined, !enabled);
  return {
    entry: entry as StageConfig['entry'],
    params: params ?? {},
    path,
    name,
    conditions: conditions ?? [],
    conditionPolicy: policy === 'any' ? 'any' : 'all',
    enabled,
  };
}

function pick(node: ObjectNode, keys: ReadonlySet<string>): ObjectNode['entries'] {
  return new Map([...node.entries].filter(([key]) => keys.has(key)));
}
