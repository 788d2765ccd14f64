import { fileURLToPath } from 'node:url';
import { catalogUrl } from '@headrace/components';
import { Registry } from '@headrace/engine';
import { runNode } from './measure.mjs';
import { stageWork } from './stages/stage-work.mjs';

const measureStage = fileURLToPath(new URL('./stages/measure-stage.mjs', import.meta.url));

/** What these do is waiting, for a server or for Python: the group `waiting` measures such a stage. */
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
 * Each stage alone on one thread, beside the same work written by hand (stages/by-hand-*.mjs), both in one process and
 * in turns: documents for each second of processor time, the best of several short rounds. Stages that take tables have
 * a second row.
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

/** No stage is forgotten. */
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
  if (missing.length > 0) throw new Error(`No work by hand beside ${missing.join(', ')}: add it in bench/stages`);
}
