import { catalogUrl } from '@headrace/components';
import { Registry, RunThreads } from '@headrace/engine';
import { afterAll, expect, it } from 'vitest';
import { describeGolden, openCase } from './golden-cases.ts';
import { componentsOf, runSteps } from './run-cases.ts';
import { runDifferences } from './run-differences.ts';

const threads = new RunThreads({ heapMb: 256, keepWarm: true });
afterAll(() => threads.close());

const base = new URL('.', import.meta.url).href;
const registry = await Registry.open({ catalogs: [catalogUrl], modules: [], base, allowModules: false });
const known = new Set(
  (['connector', 'stage', 'indexer'] as const).flatMap((kind) =>
    registry.list(kind).flatMap((entry) => [...entry.aliases, entry.name, `type ${entry.type}`.toLowerCase()]),
  ),
);

for (const suite of ['engine.jsonl', 'connectors.jsonl', 'indexers.jsonl']) {
  describeGolden(suite, (cases) => {
    for (const golden of cases) {
      const { mode = 'test' } = JSON.parse(golden.text) as { mode?: string };
      if (mode !== 'test' && mode !== 'local') continue;
      const missing = componentsOf(golden.text).filter((name) => !known.has(name) && !known.has(name.toLowerCase()));
      // A class that exists nowhere is what the case is about.
      const unbuilt = missing.filter(
        (name) => name.startsWith('com.kmwllc.') || /^type (solr|opensearch|elasticsearch)$/i.test(name),
      );
      if (unbuilt.length > 0) {
        it.skip(`${golden.name} needs ${unbuilt.join(', ')}`);
        continue;
      }
      const difference = runDifferences[`${suite.replace('.jsonl', '')}/${golden.name}`];
      it(`${golden.name}${difference === undefined ? '' : ` (decided otherwise: ${difference})`}`, async () => {
        const found = await openCase(golden, (open) => runSteps(open, threads));
        if (difference === undefined) expect(found.join('\n')).toBe('');
        else expect(found).not.toEqual([]);
      });
    }
  });
}
