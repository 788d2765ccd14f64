import { configToJson, hasErrors, maskSecrets } from '@headrace/engine';
import { render as renderText } from '@headrace/hocon';
import { loadConfig } from '../config/load-config.ts';
import { problemLines } from '../config/print-problems.ts';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';

interface RenderOptions {
  readonly set: readonly string[];
  readonly hocon: boolean;
  readonly showSecrets: boolean;
}

/** `headrace render CONFIG`: prints the config with includes, substitutions and overrides resolved. */
export async function render([file = '']: readonly (string | undefined)[], options: RenderOptions): Promise<number> {
  const { root, problems, name } = await loadConfig(file, options.set);
  writeLines('stderr', problemLines(problems, name));
  if (root === undefined || hasErrors(problems)) return EXIT.invalid;
  const shown = options.showSecrets ? root : maskSecrets(root);
  const text = options.hocon ? renderText(shown, { format: 'hocon' }) : configToJson(shown, { indent: 2 });
  writeLines('stdout', text.trimEnd().split('\n'));
  return EXIT.ok;
}
