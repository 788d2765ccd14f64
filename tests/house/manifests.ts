import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret } from 'kubernetes-models/v1';
import { readText, root } from './repository.ts';

const yaml = createRequire(join(root, 'packages/service/package.json'))('yaml') as {
  parse(text: string): unknown;
  parseAllDocuments(text: string): { toJS(): unknown }[];
};

/** A manifest of Kubernetes. `problemsOf` checks its schema before a test reads it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another type
  readonly spec?: any;
}

export function readYaml(path: string): unknown {
  return yaml.parse(readText(path));
}

export function readManifests(path: string): Manifest[] {
  return yaml.parseAllDocuments(readText(path)).map((document) => document.toJS() as Manifest);
}

/** The kinds that we use. Their validators are generated from the OpenAPI document of Kubernetes, and from KEDA's. */
const KINDS = [ConfigMap, Deployment, Job, PodDisruptionBudget, ScaledObject, Secret, TriggerAuthentication];

/** The problems of a manifest: violations of its schema, and fields that the schema does not know. */
export function manifestProblems(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const model = KINDS.find((model) => model.apiVersion === apiVersion && model.kind === kind);
  if (model === undefined) return [`There is no schema of ${apiVersion} ${kind}`];
  const unread: (() => string[])[] = [];
  try {
    model.prototype.validate.call(watched(manifest, '', unread));
  } catch (error) {
    return [(error as Error).message];
  }
  return unread.flatMap((fields) => fields());
}

/**
 * Kubernetes refuses unknown fields, but its schemas allow them. A validator reads exactly the fields that its schema
 * names, or lists all keys of a map. So a field that it has not read is unknown.
 */
function watched(value: unknown, path: string, unread: (() => string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const children = new Map(
    Object.entries(value).map(([key, child]) => [key, watched(child, `${path}/${key}`, unread)]),
  );
  const read = new Set<PropertyKey>();
  unread.push(() => [...children.keys()].filter((key) => !read.has(key)).map((key) => `Unknown field ${path}/${key}`));
  return new Proxy(value, {
    get(target, key) {
      read.add(key);
      return typeof key === 'string' && children.has(key) ? children.get(key) : Reflect.get(target, key);
    },
    ownKeys(target) {
      for (const key of children.keys()) read.add(key);
      return Reflect.ownKeys(target);
    },
  });
}

/** A command as Headrace understands it. */
export interface ParsedCommand {
  readonly name: string;
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, unknown>>;
}

interface Command {
  readonly name: string;
  readonly load: () => Promise<(args: ParsedCommand['args'], options: ParsedCommand['options']) => Promise<number>>;
}

// The package does not export them. A path in a string, because the compiler refuses paths into other projects.
const cli = join(root, 'packages/headrace/src/cli');
const { commands } = (await import(join(cli, 'commands.ts'))) as { commands: readonly Command[] };
const { createProgram } = (await import(join(cli, 'program.ts'))) as {
  createProgram(
    commands: readonly Command[],
    onExitCode: (code: number) => void,
  ): { parseAsync(words: readonly string[], options: { from: 'user' }): Promise<unknown> };
};

/** Parses a command line with the table of commands, without executing it. Throws if a command or an option is unknown. */
export async function parseCommand(words: readonly string[]): Promise<ParsedCommand> {
  let parsed: ParsedCommand | undefined;
  const recording = commands.map((spec) => ({
    ...spec,
    load: async () => async (args: ParsedCommand['args'], options: ParsedCommand['options']) => {
      parsed = { name: spec.name, args, options };
      return 0;
    },
  }));
  await createProgram(recording, () => undefined).parseAsync(words, { from: 'user' });
  if (parsed === undefined) throw new Error(`No command: ${words.join(' ')}`);
  return parsed;
}
