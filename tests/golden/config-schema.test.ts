import { catalogUrl } from '@headrace/components';
import {
  checkConfig,
  configSchema,
  configToJson,
  hasErrors,
  type JsonObject,
  type Problem,
  Registry,
  readConfigText,
} from '@headrace/engine';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { caseContent, describeGolden, openCase, usesFiles } from './golden-cases.ts';
import { SCHEMA_DIFFERENCES } from './schema-differences.ts';

const base = new URL('./', import.meta.url).href;
const registry = await Registry.open({ catalogs: [catalogUrl], modules: [], base, allowModules: false });
const ajv = new Ajv2020({ strict: false });
const validate = ajv.compile(configSchema(registry));

/** Codes of problems with names, types and values, which a schema can report. */
const SHAPE: readonly Problem['code'][] = [
  'HR_CONFIG_UNKNOWN_PARAMETER',
  'HR_CONFIG_WRONG_TYPE',
  'HR_CONFIG_MISSING_PARAMETER',
  'HR_CONFIG_MISSING_SECTION',
  'HR_CONFIG_MISSING_CLASS',
  'HR_CONFIG_UNKNOWN_CLASS',
];

for (const suite of ['engine.jsonl', 'connectors.jsonl', 'indexers.jsonl', 'stages.jsonl']) {
  describeGolden(suite, (cases) => {
    const seen = { valid: 0, broken: 0 };
    for (const golden of cases) {
      const reason = SCHEMA_DIFFERENCES[golden.name];
      const title = reason === undefined ? golden.name : `${golden.name} (the schema differs: ${reason})`;
      const compare = async (content: JsonObject, skip: (why: string) => void) => {
        const text = configText(content);
        const root = text === undefined ? undefined : readConfigText(text).root;
        // A schema cannot check a config with syntax errors.
        if (root === undefined) return skip('it is no config');
        const { problems } = await checkConfig(root, registry);
        const broken = problems.some(isShape);
        if (!broken && hasErrors(problems)) return skip('its mistakes are more than names, types and values');
        seen[broken ? 'broken' : 'valid']++;
        const valid = validate(JSON.parse(configToJson(root)));
        const agrees = valid === !broken;
        // The report is long, so it is made only for a failure.
        const report = () => `${ajv.errorsText(validate.errors)}\n${JSON.stringify(problems, null, 1)}`;
        if (reason === undefined) expect(agrees, agrees ? '' : report()).toBe(true);
        else expect(agrees, 'the schema agrees after all').toBe(false);
      };
      it(title, ({ skip }) => {
        if (usesFiles(golden)) return openCase(golden, ({ content }) => compare(content, skip));
        return compare(caseContent(golden, '/nowhere'), skip);
      });
    }

    it('has valid and broken configs', () => {
      expect(seen.valid).toBeGreaterThan(0);
      expect(seen.broken).toBeGreaterThan(0);
    });
  });
}

function isShape({ severity, code, message }: Problem): boolean {
  if (severity !== 'error') return false;
  return SHAPE.includes(code) || / must be (one of|at least \d|at most \d|greater than|less than) /.test(message);
}

/** Returns the complete config of a case, or undefined if the case has none. */
function configText(content: JsonObject): string | undefined {
  const stages = content.get('stages');
  if (typeof stages === 'string') {
    return `connectors: [], pipelines: [{ name: main, stages: ${stages} }], indexer { type: Nop }`;
  }
  const config = content.get('config');
  return typeof config === 'string' ? config : undefined;
}
