import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import { asList, isPresent, join, kindName, place, scalarText } from '../component/config-nodes.ts';
import { checkParameters } from '../component/parameters.ts';
import { type Static, Type } from '../component/schema.ts';
import { readDocument } from '../document/json-reader.ts';
import { writeString } from '../document/json-writer.ts';
import { ERROR_CODES } from '../errors/error-codes.ts';
import { messageOf } from '../errors/headrace-error.ts';
import { nearest } from '../errors/nearest.ts';
import type { Problem } from '../errors/problem.ts';

/** The key at the top of a config, or of a test file next to it, that lists its tests. */
export const TESTS = 'tests';

/** The ending of a test file name: `films.test.conf` has the tests of `films.conf`. It is not a config itself. */
export const TEST_FILE = '.test.conf';

/** One unit test of a pipeline. Documents are JSON texts. */
export interface PipelineTest {
  readonly name: string;
  /** The pipeline; undefined: the only one of the config. */
  readonly pipeline: string | undefined;
  readonly documents: readonly string[];
  /** The expected result of the documents, in order. Other documents fail the test. */
  readonly expected: {
    readonly documents: readonly string[];
    /** Ids. */
    readonly dropped: readonly string[];
    readonly failed: readonly ExpectedFailure[];
  };
  /** Fields that are not compared. */
  readonly ignore: ReadonlySet<string>;
}

/** A document that must fail. An absent property matches any value. */
export interface ExpectedFailure {
  readonly id: string;
  /** The name of the stage. */
  readonly at?: string;
  readonly code?: string;
  /** A part of the message. */
  readonly message?: string;
}

const testSchema = Type.Object({
  name: Type.Optional(Type.String()),
  pipeline: Type.Optional(Type.String()),
  ignore: Type.Optional(Type.Array(Type.String())),
});

const failureSchema = Type.Object({
  id: Type.String(),
  at: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});

/** Keys whose values are documents, ids or failures, one or a list. */
const FREE_KEYS: ReadonlySet<string> = new Set(['in', 'out', 'dropped', 'failed']);
const OUTCOMES = ['out', 'dropped', 'failed'];

/** The engine sets the id of the run: a test does not know it. */
const IGNORED = ['run_id'];

/**
 * Reads the list `tests` of a config or of the test file next to it.
 * @param root of the text with the tests; without the key there are no tests
 * @param config the config whose pipelines are tested
 * @returns the tests that can be run, and an error for each mistake
 */
export function readPipelineTests(
  root: ObjectNode,
  config: ObjectNode = root,
): { tests: PipelineTest[]; problems: Problem[] } {
  const node = root.entries.get(TESTS);
  if (node === undefined || node.kind === 'null') return { tests: [], problems: [] };
  const reader = new TestReader(pipelineNames(config));
  if (node.kind === 'list') for (const [i, item] of node.items.entries()) reader.read(item, i);
  else reader.wrong(TESTS, node, `tests is supposed to be a list, was "${kindName(node)}"`);
  return reader;
}

class TestReader {
  readonly tests: PipelineTest[] = [];
  readonly problems: Problem[] = [];
  readonly #pipelines: readonly string[];
  readonly #names = new Set<string>();

  constructor(pipelines: readonly string[]) {
    this.#pipelines = pipelines;
  }

  read(node: ConfigNode, index: number): void {
    const path = `${TESTS}[${index}]`;
    if (node.kind !== 'object') {
      this.wrong(path, node, `A test is supposed to be a Config, was "${kindName(node)}"`);
      return;
    }
    const before = this.problems.length;
    const checked = checkParameters(testSchema, node, path, FREE_KEYS);
    this.problems.push(...checked.problems);
    const { name = `test ${index + 1}`, pipeline, ignore = [] } = checked.value as Static<typeof testSchema>;
    this.#checkName(name, node, path);
    this.#checkPipeline(pipeline, node, path);
    const documents = this.#documents(node, 'in', path);
    const expected = {
      documents: this.#documents(node, 'out', path),
      dropped: this.#several(node, 'dropped').flatMap((item) => this.#id(item, join(path, 'dropped'))),
      failed: this.#several(node, 'failed').flatMap((item) => this.#failure(item, join(path, 'failed'))),
    };
    if (documents.length === 0 && this.problems.length === before) {
      const hint = 'Add in: { id: "…" }, one document or a list.';
      this.add('HR_CONFIG_MISSING_PARAMETER', path, node.origin, 'The test has no documents to start with', hint);
    }
    if (!OUTCOMES.some((key) => isPresent(node, key))) {
      const hint = 'Add out: the documents that leave the pipeline. dropped and failed list the ids of others.';
      this.add('HR_CONFIG_MISSING_PARAMETER', path, node.origin, 'The test expects nothing', hint);
    }
    if (this.problems.length > before) return;
    this.tests.push({ name, pipeline, documents, expected, ignore: new Set([...IGNORED, ...ignore]) });
  }

  wrong(path: string, node: ConfigNode, message: string, hint?: string): void {
    this.add('HR_CONFIG_WRONG_TYPE', path, node.origin, message, hint);
  }

  add(code: Problem['code'], path: string, origin: Origin, message: string, hint?: string): void {
    const about = hint === undefined ? {} : { hint };
    this.problems.push({ severity: 'error', code, path, ...place(origin), message, ...about });
  }

  #checkName(name: string, node: ObjectNode, path: string): void {
    const { origin } = node.entries.get('name') ?? node;
    if (this.#names.has(name)) {
      const message = `More than one test is called ${name}`;
      this.add('HR_CONFIG_DUPLICATE_NAME', join(path, 'name'), origin, message, 'Give each test its own name.');
    }
    this.#names.add(name);
  }

  #checkPipeline(name: string | undefined, node: ObjectNode, path: string): void {
    const all = this.#pipelines;
    const known = `Pipelines are: ${all.join(', ') || 'none'}.`;
    if (name === undefined) {
      if (all.length < 2) return;
      const message = 'The config has several pipelines, and the test names none';
      this.add('HR_CONFIG_MISSING_PARAMETER', path, node.origin, message, `Add pipeline: "…". ${known}`);
    } else if (!all.includes(name)) {
      const best = nearest(name, all);
      const hint = best === undefined ? known : `Did you mean ${best}?`;
      const { origin } = node.entries.get('pipeline') ?? node;
      const message = `There is no pipeline ${name}`;
      this.add('HR_CONFIG_MISSING_PIPELINE', join(path, 'pipeline'), origin, message, hint);
    }
  }

  /** The values of a key that takes one value or a list. */
  #several(node: ObjectNode, key: string): readonly ConfigNode[] {
    const value = node.entries.get(key);
    if (value === undefined || value.kind === 'null') return [];
    return value.kind === 'list' ? value.items : [value];
  }

  #documents(node: ObjectNode, key: string, path: string): string[] {
    return this.#several(node, key).flatMap((item, i, all) => {
      const at = all.length === 1 ? join(path, key) : `${join(path, key)}[${i}]`;
      if (item.kind !== 'object' && item.kind !== 'string') {
        const hint = 'Write { id: "…" }, or a document as JSON text.';
        this.wrong(at, item, `A document is supposed to be a Config, was "${kindName(item)}"`, hint);
        return [];
      }
      const text = item.kind === 'string' ? item.value : jsonOf(withTextId(item));
      try {
        readDocument(text);
        return [text];
      } catch (error) {
        this.add('HR_CONFIG_INVALID_VALUE', at, item.origin, messageOf(error));
        return [];
      }
    });
  }

  #id(node: ConfigNode, path: string): string[] {
    const id = scalarText(node);
    if (id === undefined) this.wrong(path, node, `The id of a document is a text, was "${kindName(node)}"`);
    return id === undefined ? [] : [id];
  }

  #failure(node: ConfigNode, path: string): ExpectedFailure[] {
    if (node.kind !== 'object') return this.#id(node, path).map((id) => ({ id }));
    const checked = checkParameters(failureSchema, node, path);
    this.problems.push(...checked.problems);
    const failure = checked.value as Static<typeof failureSchema>;
    const { code } = failure;
    if (code !== undefined && !Object.hasOwn(ERROR_CODES, code)) {
      const best = nearest(code, Object.keys(ERROR_CODES));
      const hint = best === undefined ? 'docs/errors.md lists them.' : `Did you mean ${best}?`;
      const { origin } = node.entries.get('code') ?? node;
      this.add('HR_CONFIG_INVALID_VALUE', join(path, 'code'), origin, `There is no error code ${code}`, hint);
    }
    return [failure as ExpectedFailure];
  }
}

/** An id is a text, and `id: 1` also means a text, as at all positions of a config that expect a text. */
function withTextId(node: ObjectNode): ObjectNode {
  const id = node.entries.get('id');
  const text = id === undefined ? undefined : scalarText(id);
  if (id === undefined || text === undefined || id.kind === 'string') return node;
  const { origin } = id;
  return { ...node, entries: new Map(node.entries).set('id', { kind: 'string', value: text, origin }) };
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * A document in the notation of the config. The config language treats `1.0` and `1` as the same, a search engine does
 * not.
 */
function jsonOf(node: ConfigNode): string {
  switch (node.kind) {
    case 'object':
      return `{${Array.from(node.entries, ([key, child]) => `${writeString(key)}:${jsonOf(child)}`).join(',')}}`;
    case 'list':
      return `[${node.items.map(jsonOf).join(',')}]`;
    case 'string':
      return writeString(node.value);
    case 'number':
      return JSON_NUMBER.test(node.text) ? node.text : String(node.value);
    default:
      return node.kind === 'null' ? 'null' : String(node.value);
  }
}

function pipelineNames(config: ObjectNode): string[] {
  const pipelines = config.entries.get('pipelines');
  const items = (pipelines === undefined ? undefined : asList(pipelines)) ?? [];
  return items.flatMap((item) => {
    const name = item.kind === 'object' ? item.entries.get('name') : undefined;
    return (name && scalarText(name)) ?? [];
  });
}
