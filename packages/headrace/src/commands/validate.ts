import { checkConfig, hasErrors, type Problem } from '@headrace/engine';
import { EXIT } from '../cli/exit-code.ts';
import { type LoadedConfig, loadConfig, openRegistry, registrySource } from '../config/load-config.ts';
import { countProblems, problemLines } from '../config/print-problems.ts';

interface ValidateOptions {
  readonly set: readonly string[];
  readonly components: readonly string[];
  readonly json: boolean;
}

/** `headrace validate CONFIG`: everything that is wrong, found without running or writing anything. */
export async function validate(
  [file = '']: readonly (string | undefined)[],
  options: ValidateOptions,
): Promise<number> {
  const config = await loadConfig(file, options.set);
  const problems = await findProblems(config, file, options.components);
  const valid = !hasErrors(problems);
  const { name } = config;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ valid, problems: problems.map((p) => toJson(p, name)) }, null, 2)}\n`);
  } else {
    const verdict = valid ? 'valid' : 'invalid';
    process.stdout.write(`${problemLines(problems, name)}${name}: ${verdict} (${countProblems(problems)})\n`);
  }
  return valid ? EXIT.ok : EXIT.invalid;
}

async function findProblems(
  { root, problems }: LoadedConfig,
  file: string,
  components: readonly string[],
): Promise<Problem[]> {
  if (root === undefined || hasErrors(problems)) return problems;
  const registry = await openRegistry(registrySource(file, components));
  if ('severity' in registry) return [...problems, registry];
  return [...problems, ...(await checkConfig(root, registry)).problems];
}

/** A problem with its keys in their documented order; `file` only for a text that the config includes. */
function toJson({ severity, code, path, line, column, component, message, hint, ...rest }: Problem, config: string) {
  const file = rest.file === undefined || rest.file === config ? {} : { file: rest.file };
  return { severity, code, path, ...file, line, column, component, message, hint };
}
