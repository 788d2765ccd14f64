import { type JsonObject, readJson } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { expect, it } from 'vitest';
import { describeGolden, type GoldenCase, openCase } from './golden-cases.ts';
import { HttpStub } from './http-stub.ts';
import { runSteps } from './run-cases.ts';
import { runDifferences } from './run-differences.ts';

/** Runs a case with the server that it needs. Returns the differences from the recording. */
async function runGolden(golden: GoldenCase): Promise<string[]> {
  // A launcher loads the modules of its earlier runs into each new thread, and the cases use many different ones. Local
  // runs take half of the processor time: the process has loaded the code of a run. Their pipelines have threads.
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
  try {
    return await runWithServer(golden, threads);
  } finally {
    await threads.close();
  }
}

async function runWithServer(golden: GoldenCase, threads: RunLauncher): Promise<string[]> {
  const script = (readJson(golden.text) as JsonObject).get('http') as JsonObject | undefined;
  if (script === undefined) return openCase(golden, (open) => runSteps(open, threads));
  const stub = await HttpStub.start(script);
  try {
    const text = golden.text.replaceAll('@HTTP@', stub.address);
    return await openCase({ ...golden, text }, (open) => runSteps(open, threads, stub));
  } finally {
    await stub.close();
  }
}

for (const suite of ['engine.jsonl', 'connectors.jsonl', 'indexers.jsonl']) {
  describeGolden(suite, (cases) => {
    for (const golden of cases) {
      const { mode = 'test' } = JSON.parse(golden.text) as { mode?: string };
      if (mode !== 'test' && mode !== 'local') continue;
      const difference = runDifferences[`${suite.replace('.jsonl', '')}/${golden.name}`];
      it(`${golden.name}${difference === undefined ? '' : ` (intended difference: ${difference})`}`, async () => {
        const found = await runGolden(golden);
        if (difference === undefined) expect(found.join('\n')).toBe('');
        else expect(found).not.toEqual([]);
      });
    }
  });
}
