import { configSchema, Registry } from '@headrace/engine';
import { registrySource } from '../config/load-config.ts';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';

/** `headrace schema`: prints the JSON Schema that editors use to complete and check a config. */
export async function schema(_: readonly (string | undefined)[], options: { components: readonly string[] }) {
  const registry = await Registry.open(registrySource(undefined, options.components));
  writeLines('stdout', JSON.stringify(configSchema(registry), null, 2).split('\n'));
  return EXIT.ok;
}
