import { readdirSync } from 'node:fs';
import { catalogUrl } from '@headrace/components';
import { checkConfig, hasErrors, type JsonObject, type Problem, Registry, readConfigText } from '@headrace/engine';
import { expect, it } from 'vitest';
import { describeGolden, type GoldenCase, openCase } from './golden-cases.ts';
import { componentsOf } from './run-cases.ts';
import { VALIDATION_DIFFERENCES } from './validation-differences.ts';

const base = new URL('./', import.meta.url).href;
const registry = await Registry.open({ catalogs: [catalogUrl], modules: [], base, allowModules: false });
const types = new Set(registry.list('indexer').map((entry) => entry.type?.toLowerCase()));

for (const suite of ['engine.jsonl', 'connectors.jsonl', 'indexers.jsonl']) {
  describeGolden(suite, (cases) => {
    const validations = cases.filter(isValidation);
    for (const golden of validations) {
      const reason = VALIDATION_DIFFERENCES[golden.name];
      const title = reason === undefined ? golden.name : `${golden.name} (intended difference: ${reason})`;
      const unbuilt = unbuiltComponents(golden);
      it.skipIf(unbuilt.length > 0)(title, () =>
        openCase(golden, async ({ content, folder }) => {
          const problems = await problemsOf(content.get('config') as string);
          const before = Object.keys(Object.fromEntries((content.get('files') as JsonObject | undefined) ?? []));
          const missing = unsaid(content, problems);
          if (reason === undefined) expect(missing, JSON.stringify(problems, null, 2)).toEqual([]);
          else expect(missing, 'the listed difference no longer exists').not.toEqual([]);
          expect(readdirSync(folder, { recursive: true }).length, 'validating wrote something').toBeLessThanOrEqual(
            before.flatMap((path) => path.split('/')).length,
          );
        }),
      );
    }

    it('contain cases of validation', () => expect(validations.length).toBeGreaterThan(5));
  });
}

it('every validation with an intended difference is a recorded case', () => {
  expect(Object.keys(VALIDATION_DIFFERENCES).filter((name) => !/^(val|es)-/.test(name))).toEqual([]);
});

function isValidation(golden: GoldenCase): boolean {
  const {
    mode,
    config,
    expect: expected,
  } = JSON.parse(golden.text) as {
    mode?: string;
    config?: string;
    expect: Record<string, unknown>;
  };
  if (config === undefined || mode === 'cli') return false;
  return mode === 'validate' || 'configErrors' in expected || 'configParseError' in expected;
}

/** Returns the components of the reference in a case that Headrace does not have. */
function unbuiltComponents(golden: GoldenCase): string[] {
  const known = (['connector', 'stage', 'indexer'] as const).flatMap((kind) =>
    registry.list(kind).flatMap((entry) => entry.aliases),
  );
  return componentsOf(golden.text).filter(
    (name) =>
      (name.startsWith('com.kmwllc.') && !known.includes(name)) ||
      (/^type (solr|opensearch|elasticsearch|csv)$/i.test(name) && !types.has(name.slice(5).toLowerCase())),
  );
}

async function problemsOf(text: string): Promise<Problem[]> {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) return problems;
  return (await checkConfig(root, registry)).problems;
}

/**
 * Returns the problems that only the reference reports. For a config that the reference accepts, returns the problems
 * that Headrace reports.
 */
function unsaid(content: JsonObject, problems: readonly Problem[]): string[] {
  const expected = content.get('expect') as JsonObject;
  const text = content.get('config') as string;
  if (expected.has('configParseError')) {
    return hasErrors(problems) ? [] : [String(expected.get('configParseError'))];
  }
  const wanted: { paths: string[]; message: string }[] = [];
  const escaped = expected.get('escaped');
  if (typeof escaped === 'string') wanted.push({ paths: [''], message: escaped.replace(/^\w+: /, '') });
  for (const [section, messages] of (expected.get('configErrors') as JsonObject | undefined) ?? []) {
    const paths = pathsOf(section, text);
    for (const message of messages as string[]) {
      for (const leaf of leaves(message)) wanted.push({ paths, message: leaf });
    }
  }
  const errors = problems.filter((problem) => problem.severity === 'error');
  if (wanted.length === 0) return errors.map(({ path, message }) => `refused: ${path}: ${message}`);
  return wanted
    .filter(({ paths, message }) => !errors.some((error) => isAt(error, paths) && says(error.message, message)))
    .map(({ paths, message }) => `${paths.join(' or ')}: ${message}`);
}

function isAt({ path }: Problem, paths: readonly string[]): boolean {
  return paths.some(
    (start) => path === start || path.startsWith(start === '' ? '' : `${start}.`) || path.startsWith(`${start}[`),
  );
}

/** Returns the paths that the reference calls by this name. A component may have the name of a section. */
function pathsOf(section: string, text: string): string[] {
  const paths = [section];
  if (section === 'indexer') paths.push('csv', 'solr', 'opensearch', 'elasticsearch', 'pinecone', 'weaviate');
  if (section === 'other') paths.push('publisher', 'log', 'runner', 'kafka', 'zookeeper', 'worker');
  const position = /^connector\[(\d+)\]$/.exec(section)?.[1];
  if (position !== undefined) paths.push(`connectors[${Number(position) - 1}]`);
  const { root } = readConfigText(text);
  for (const list of ['connectors', 'pipelines']) {
    const node = root?.entries.get(list);
    for (const [i, item] of (node?.kind === 'list' ? node.items : []).entries()) {
      const name = item.kind === 'object' ? item.entries.get('name') : undefined;
      if (name?.kind === 'string' && name.value === section) paths.push(`${list}[${i}]`);
    }
  }
  return paths;
}

/** Returns the single problems of a message: `Errors with x Config: [a, b]` contains two. */
function leaves(message: string): string[] {
  const own = (message.split(' <- ')[0] as string).replace(/^@ORIGIN@: /, '');
  const wrapped = /^Errors? with .+? (?:Config|elements?): (.*)$/s.exec(own)?.[1];
  if (wrapped === undefined) return [own];
  const list = /^\[(.*)\]$/s.exec(wrapped)?.[1];
  return (list === undefined ? [wrapped] : list.split(/, (?=Config |Errors? with |\w+ (?:must|is) )/)).flatMap(leaves);
}

/** Pairs of messages of the reference and of Headrace with the same meaning. `$1` is the text of the first group. */
const OTHER_WORDS: readonly (readonly [recorded: RegExp, ours: string])[] = [
  [/^Error with Connector class \/ constructor: (.+)$/, 'There is no connector $1'],
  [/^(\w+) has type (\w+) rather than LIST$/, '$1 is supposed to be a list, was "$2"'],
  [/^(indexer\.retry\w+), .* require (indexer\.maxRetries to be set)$/, '$1 requires $2'],
];

/** Returns whether a Headrace message means the same as the message of the reference, with or without its advice. */
function says(ours: string, recorded: string): boolean {
  // The reference hides the reason in this message, so any reason is accepted.
  if (recorded.startsWith('Problem initializing indexer.class configuration of')) return true;
  const [own, theirs] = [sentence(ours), sentence(recorded)];
  if (theirs === own || theirs.startsWith(`${own}. `)) return true;
  return OTHER_WORDS.some(([pattern, words]) => pattern.test(theirs) && theirs.replace(pattern, words) === own);
}

function sentence(message: string): string {
  return message.replace('@ORIGIN@: ', '').replace(/\.$/, '');
}
