import { fileURLToPath } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { Registry } from '@headrace/engine';
import { runNode } from './measure.mjs';
import { stageWork } from './stages/stage-work.mjs';

const measureStage = fileURLToPath(new URL('./stages/measure-stage.mjs', import.meta.url));

/** Stages that mostly wait for a server or for Python. The group `waiting` measures such a stage. */
const NOT_MEASURED = new Set([
  'ElasticsearchLookup',
  'EmbeddedPython',
  'ExternalPython',
  'FetchFileContent',
  'FetchUri',
  'OpenAIEmbed',
  'PromptOllama',
  'QueryDatabase',
  'QueryOpensearch',
]);

/**
 * Measures each stage alone on one thread, compared with the same work written by hand (stages/by-hand-*.mjs). Both run
 * in one process and in turns. The result is the best of several short rounds, in documents per processor second.
 * Stages that process tables have a second row.
 */
export async function stageJobs() {
  await checkComplete();
  const rows = [];
  for (const name of Object.keys(stageWork).sort()) {
    const measured = await runNode([measureStage, name]).catch((error) => error);
    if (measured instanceof Error) {
      rows.push({ job: `stage: ${name}`, error: measured.message });
      continue;
    }
    const { stage, byHand, tables } = JSON.parse(measured.output);
    const row = (job, value) => ({
      job: `stage: ${job}`,
      value,
      unit: 'docs/s of one processor',
      byHand,
      share: value / byHand,
    });
    rows.push(row(name, stage));
    if (tables !== undefined) rows.push(row(`${name}, tables`, tables));
  }
  return rows;
}

/** Checks that every stage is measured. */
async function checkComplete() {
  const registry = await Registry.open({
    catalogs: [catalogUrl],
    modules: [],
    base: import.meta.url,
    allowModules: false,
  });
  const measured = new Set(Object.keys(stageWork).map((name) => name.split(' ')[0]));
  const stages = registry.list('stage').map(({ name }) => name);
  const missing = stages.filter((name) => !measured.has(name) && !NOT_MEASURED.has(name));
  if (missing.length > 0) throw new Error(`No work by hand for ${missing.join(', ')}: add it in bench/stages`);
}
