import {
  checkConfig,
  configToJson,
  hasErrors,
  maskedSecrets,
  maskSecrets,
  type Problem,
  type ReadConfig,
  type ReadConfigOptions,
  type Registry,
  readConfigText,
} from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ConfigFormat } from '../store/store.ts';
import { boundProblems } from './bound-problems.ts';
import { configAnswer } from './config-answer.ts';
import type { ConfigNode, ConfigRoot } from './config-source.ts';

/** The maximum number of values in a config. Lists and objects are counted too. */
const MAX_VALUES = 100_000;

/** The result of reading an untrusted text. */
export interface ReadUpload {
  format: ConfigFormat;
  /** Undefined if the text cannot be parsed or resolved. */
  root: ConfigRoot | undefined;
  problems: Problem[];
}

/** The result of reading and checking an untrusted text. */
export interface CheckedUpload {
  /** The answer of GET for this config. Undefined if the text cannot be parsed or resolved. */
  stored: { answer: string; digest: string; format: ConfigFormat } | undefined;
  problems: Problem[];
  /** A problem for each value that is the mask of a secret (`******`) instead of the secret. */
  masks: Problem[];
}

/** A config that comes with a request, or a stored config with overrides. It runs without being stored in this form. */
export interface InlineConfig extends ReadUpload {
  digest: string;
  /** The overrides as values of the config, with secrets masked. */
  maskedOverrides: Record<string, unknown> | undefined;
}

/**
 * Reads an upload without access to the environment or to files. Includes are not allowed.
 * @param sent the format in the request. A text that is not JSON is read as HOCON, as in the reference.
 */
export function readUpload(text: string, sent: ConfigFormat): ReadUpload {
  const { root, problems, format } = readAs(text, sent, {});
  if (root !== undefined) boundValues(root);
  return { root: hasErrors(problems) ? undefined : root, problems: boundProblems(problems), format };
}

function readAs(text: string, sent: ConfigFormat, options: ReadConfigOptions): ReadConfig & { format: ConfigFormat } {
  if (sent === 'json') {
    const read = readConfigText(text, { ...options, format: 'json' });
    if (!hasErrors(read.problems)) return { ...read, format: 'json' };
  }
  return { ...readConfigText(text, options), format: 'hocon' };
}

/**
 * Reads a config that comes with a request, or a stored config with overrides.
 * @param overrides a JSON object: values by path that replace values of the text
 */
export function readInline(text: string, sent: ConfigFormat, overrides: string | undefined): InlineConfig {
  const { root, problems, format } = readAs(text, sent, overrides === undefined ? {} : { overrides });
  if (root === undefined || hasErrors(problems)) {
    return { root: undefined, problems: boundProblems(problems), format, digest: '', maskedOverrides: undefined };
  }
  boundValues(root);
  // Overrides are masked as a separate config, because secrets are recognized by the names of the keys on their path.
  const alone = overrides === undefined ? undefined : readConfigText('{}', { format: 'json', overrides }).root;
  const maskedOverrides = alone && (JSON.parse(configToJson(maskSecrets(alone))) as Record<string, unknown>);
  return { root, problems: boundProblems(problems), format, digest: configAnswer(root).digest, maskedOverrides };
}

/** Limits the number of values: a config is copied to other threads value by value, which blocks the service thread. */
function boundValues(root: ConfigRoot): void {
  let values = 0;
  for (const pending: ConfigNode[] = [root]; pending.length > 0; ) {
    const node = pending.pop() as ConfigNode;
    values++;
    const inner = node.kind === 'object' ? node.entries.values() : node.kind === 'list' ? node.items : [];
    for (const child of inner) {
      if (values + pending.length >= MAX_VALUES) {
        throw new ApiError('HR_CONFIG_REFUSED', `The config has more than ${MAX_VALUES} values`, {
          hint: 'Put long lists into files that its components read.',
        });
      }
      pending.push(child);
    }
  }
}

/** Returns all problems of an upload, without the config. */
export async function problemsOfUpload(text: string, format: ConfigFormat, registry: Registry): Promise<Problem[]> {
  const { root, problems } = readUpload(text, format);
  if (root === undefined) return problems;
  return boundProblems((await checkConfig(root, registry, { readFiles: false })).problems);
}

/** Reads an upload and checks it as a config. */
export async function checkUpload(text: string, sent: ConfigFormat, registry: Registry): Promise<CheckedUpload> {
  const { root, problems, format } = readUpload(text, sent);
  if (root === undefined) return { stored: undefined, problems, masks: [] };
  return {
    stored: { ...configAnswer(root), format },
    problems: boundProblems((await checkConfig(root, registry, { readFiles: false })).problems),
    masks: maskedSecrets(root).map((problem) => ({ ...problem, severity: 'error' })),
  };
}
