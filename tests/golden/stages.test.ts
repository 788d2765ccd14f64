import { readFileSync } from 'node:fs';
import { beforeAll, expect, it, vi } from 'vitest';
import {
  caseContent,
  describeGolden,
  type GoldenCase,
  type OpenCase,
  openCase,
  referenceComponents,
  usesFiles,
} from './golden-cases.ts';
import { actualOutcome, agrees, classNames, recordedOutcome } from './stage-cases.ts';
import { STAGE_DIFFERENCES } from './stage-differences.ts';
import { openStageRegistry } from './stage-registry.ts';

/** The folder of a case without files. It does not exist. */
const NO_FOLDER = '/nowhere';

const registry = await openStageRegistry();
const built = new Set(registry.list('stage').map((entry) => entry.name));

describeGolden('stages.jsonl', (cases) => {
  // A case of RandomVector does not expect values below 0.001, which Java writes with an exponent. (Park, Miller: Random
  // Number Generators: Good Ones Are Hard to Find, CACM 1988.)
  beforeAll(() => {
    let state = 1;
    vi.spyOn(Math, 'random').mockImplementation(() => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    });
  });

  const planned = new Set(referenceStages());
  for (const golden of cases) {
    const reason = STAGE_DIFFERENCES[golden.name];
    const missing = stagesOf(golden).filter((name) => planned.has(name) && !built.has(name));
    const title = reason === undefined ? golden.name : `${golden.name} (intended difference: ${reason})`;
    const compare = async (open: OpenCase) => {
      const recorded = recordedOutcome(open);
      const actual = await actualOutcome(open, registry);
      if (reason !== undefined)
        expect(actual, 'the listed difference no longer exists').not.toSatisfy(sameAs(recorded));
      else if (!agrees(actual, recorded)) expect(actual, golden.quirk).toEqual(recorded);
    };
    it.skipIf(missing.length > 0)(title, () =>
      usesFiles(golden)
        ? openCase(golden, compare)
        : compare({ content: caseContent(golden, NO_FOLDER), folder: NO_FOLDER }),
    );
  }

  it('lists only existing cases as intended differences', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect(Object.keys(STAGE_DIFFERENCES).filter((name) => !names.has(name))).toEqual([]);
  });
});

function sameAs(recorded: Parameters<typeof agrees>[1]): (actual: Parameters<typeof agrees>[0]) => boolean {
  return (actual) => agrees(actual, recorded);
}

/** Returns the short names of the stages of the reference. */
function referenceStages(): string[] {
  const components = JSON.parse(readFileSync(referenceComponents, 'utf8')) as {
    stages: { class: string }[];
  };
  return components.stages.map((stage) => shortName(stage.class));
}

function stagesOf(golden: GoldenCase): string[] {
  return classNames((JSON.parse(golden.text) as { stages: string }).stages).map(shortName);
}

function shortName(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1);
}
