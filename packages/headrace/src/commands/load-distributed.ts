import type { KafkaSettings, PlainConfig } from '@headrace/distributed';
import {
  checkConfig,
  configToJson,
  hasErrors,
  type Problem,
  Registry,
  type RegistrySource,
  wholeRunParameter,
} from '@headrace/engine';
import { type ConfigNode, type ObjectNode, parsePath } from '@headrace/hocon';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { writeProblems } from '../config/print-problems.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';

/** A checked config for a distributed run. */
export interface DistributedConfig {
  readonly root: ObjectNode;
  readonly config: PlainConfig;
  readonly settings: KafkaSettings;
  readonly registry: RegistrySource;
  /** Whether the indexer writes a file, which only one indexer can write at a time. */
  readonly writesFile: boolean;
  /** The name of the config in messages. */
  readonly name: string;
}

/**
 * Reads and checks a config, including its `kafka` block. Prints every problem. Returns undefined if one of them is an
 * error.
 * @param publishes whether the connectors are executed. Other commands need none: other programs may write the documents
 */
export async function loadDistributed(
  file: string,
  set: readonly string[],
  components: readonly string[],
  publishes = false,
): Promise<DistributedConfig | undefined> {
  const { root, problems, name } = await loadConfig(file, set);
  const registry = registrySource(file, components);
  const all: Problem[] = [...problems];
  let writesFile = false;
  let indexerBlock: string | undefined;
  if (root !== undefined && !hasErrors(problems)) {
    const opened = await Registry.open(registry);
    const { config: checked, problems: found } = await checkConfig(root, opened);
    if (checked !== undefined) {
      const { entry, params, settings } = checked.indexer;
      const Class = await opened.load(entry, 'indexer');
      indexerBlock = Class.block;
      const isFile = Class.overwrites !== undefined && Class.writesToStandardOutput?.(params as never) !== true;
      const whole = await wholeRunParameter(checked.indexer, opened);
      const incomplete = 'no single process knows whether the run is complete';
      if (whole !== undefined) all.push(notDistributed(root, `${checked.indexer.path}.${whole}`, incomplete));
      const separate = 'several processes write its documents';
      if ((params as { skipUnchanged?: boolean }).skipUnchanged === true) {
        all.push(notDistributed(root, `${checked.indexer.path}.skipUnchanged`, separate));
      }
      const families = 'a document and its children may be written by different processes';
      if (settings.childrenField !== undefined) all.push(notDistributed(root, 'indexer.childrenField', families));
      writesFile = isFile && settings.sendEnabled !== false;
    }
    // The block kafka is read below, with its problems.
    const used = publishes ? ['kafka'] : ['kafka', 'connectors'];
    all.push(
      ...found.filter(
        ({ component, code, path }) => component !== 'kafka' && !(code === 'HR_CONFIG_UNUSED' && used.includes(path)),
      ),
    );
  }
  if (root === undefined || hasErrors(problems)) {
    writeProblems(all, name);
    return undefined;
  }
  const config = JSON.parse(configToJson(root)) as PlainConfig;
  const { settings, problems: mistakes } = await readKafkaBlock(root, indexerBlock);
  all.push(...mistakes);
  writeProblems(all, name);
  return settings === undefined || hasErrors(all) ? undefined : { root, config, settings, registry, writesFile, name };
}

/**
 * Reads the block `kafka` of a config and the property files that it names.
 * @param indexerBlock the name of the block with the parameters of the indexer, if it is known
 * @returns the settings, and all problems. The settings are undefined if one of the problems is an error
 */
export async function readKafkaBlock(root: ObjectNode, indexerBlock?: string) {
  const { checkClientProperties, readKafkaSettings } = await import('@headrace/distributed');
  const { settings, problems } = readKafkaSettings(root, indexerBlock);
  if (settings !== undefined) problems.push(...checkClientProperties(settings));
  const placed = problems.map((problem) =>
    problem.line === undefined ? { ...problem, ...placeOf(root, problem.path) } : problem,
  );
  return { settings, problems: placed };
}

function notDistributed(root: ObjectNode, path: string, reason: string): Problem {
  return {
    severity: 'error',
    code: 'HR_CONFIG_INVALID_VALUE',
    path,
    ...placeOf(root, path),
    component: 'indexer',
    message: `A distributed run does not support ${path}, because ${reason}`,
    hint: 'Run the config in one process: headrace run CONFIG. Or remove the setting.',
  };
}

/** Returns the position of a setting in the text. If it is missing, returns the position of the block that needs it. */
function placeOf(root: ObjectNode, path: string): Pick<Problem, 'file' | 'line' | 'column'> {
  let node: ConfigNode = root;
  const names = [...parsePath(path)];
  for (let name = names.shift(); name !== undefined && node.kind === 'object'; name = names.shift()) {
    const child = node.entries.get(name);
    // The name of a property, such as session.timeout.ms, may be written with quotes or as nested blocks.
    if (child === undefined && name.includes('.')) names.unshift(...name.split('.'));
    else if (child === undefined) break;
    else node = child;
  }
  const { file, line, column } = node.origin;
  if (node === root || line < 1) return {};
  return { ...(file === undefined ? {} : { file }), line, column };
}

/** Returns the pipeline that a process serves: the one that the option names, or the only one of the config. */
export function pipelineOf({ config }: DistributedConfig, named: string | undefined): string {
  const names = (config.pipelines ?? []).map(({ name = '' }) => name);
  const { worker } = config as { worker?: { pipeline?: string } };
  const pipeline = named ?? worker?.pipeline ?? (names.length === 1 ? names[0] : undefined);
  if (pipeline !== undefined && names.includes(pipeline)) return pipeline;
  const known = `The config has ${names.length === 0 ? 'no pipelines' : names.join(', ')}.`;
  const message = pipeline === undefined ? 'Name the pipeline with --pipeline.' : `There is no pipeline ${pipeline}.`;
  throw new CommandError(`${message} ${known}`, EXIT.invalid);
}
