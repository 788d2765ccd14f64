import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import { asList, isPresent, join, kindName, place, scalarText } from '../component/config-nodes.ts';
import { checkParameters } from '../component/parameters.ts';
import { type Static, Type } from '../component/schema.ts';
import { writeString } from '../document/json-writer.ts';
import { readObject } from '../document/read-object.ts';
import { ERROR_CODES } from '../errors/error-codes.ts';
import { messageOf } from '../errors/headrace-error.ts';
import { nearest } from '../errors/nearest.ts';
import type { Problem } from '../errors/problem.ts';

/** The top-level key that lists the tests, in a config or in a test file next to it. */
export const TESTS = 'tests';

/** The ending of the name of a test file: `films.test.conf` contains the tests of `films.conf`. It is not a config. */
export const TEST_FILE = '.test.conf';

/** One unit test of a pipeline. Documents are JSON strings. */
export interface PipelineTest {
  readonly name: string;
  /** The name of the pipeline. Undefined means the only pipeline of the config. */
  readonly pipeline: string | undefined;
  readonly documents: readonly string[];
  /** The expected documents, in order. Any other document fails the test. */
  readonly expected: {
    readonly documents: readonly string[];
    /** The ids of the documents that the pipeline must drop. */
    readonly dropped: readonly string[];
    readonly failed: readonly ExpectedFailure[];
  };
  /** Fields that the comparison ignores. */
  readonly ignore: ReadonlySet<string>;
}

/** A document that must fail. An absent property matches every value. */
export interface ExpectedFailure {
  readonly id: string;
  /** The name of the stage that must fail. */
  readonly at?: string;
  readonly code?: string;
  /** A part of the expected message. */
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

/** Keys whose value is one document, id or failure, or a list of them. */
const FREE_KEYS: ReadonlySet<string> = new Set(['in', 'out', 'dropped', 'failed']);
const OUTCOMES = ['out', 'dropped', 'failed'];

/** Fields that are always ignored: a test cannot know the id of the run. */
const IGNORED = ['run_id'];

/**
 * Reads the list `tests` of a config, or of the test file next to it.
 * @param root the tree of the text with the tests; if the key is absent, there are no tests
 * @param config the config whose pipelines are tested
 * @returns the valid tests, and an error for each mistake
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
      const hint = 'Add in: { id: "…" }, with one document or a list.';
      this.add('HR_CONFIG_MISSING_PARAMETER', path, node.origin, 'The test has no input documents', hint);
    }
    if (!OUTCOMES.some((key) => isPresent(node, key))) {
      const hint = 'Add out with the expected documents. Add dropped and failed with the ids of other documents.';
      this.add('HR_CONFIG_MISSING_PARAMETER', path, node.origin, 'The test has no expected result', hint);
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
      this.add('HR_CONFIG_DUPLICATE_NAME', join(path, 'name'), origin, message, 'Give each test a different name.');
    }
    this.#names.add(name);
  }

  #checkPipeline(name: string | undefined, node: ObjectNode, path: string): void {
    const all = this.#pipelines;
    const known = `Known pipelines: ${all.join(', ') || 'none'}.`;
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

  /** Returns the values of a key whose value is one value or a list. */
  #several(node: ObjectNode, key: string): readonly ConfigNode[] {
    const value = node.entries.get(key);
    if (value === undefined || value.kind === 'null') return [];
    return value.kind === 'list' ? value.items : [value];
  }

  #documents(node: ObjectNode, key: string, path: string): string[] {
    return this.#several(node, key).flatMap((item, i, all) => {
      const at = all.length === 1 ? join(path, key) : `${join(path, key)}[${i}]`;
      if (item.kind !== 'object' && item.kind !== 'string') {
        const hint = 'Write { id: "…" }, or a document as a JSON string.';
        this.wrong(at, item, `A document is supposed to be a Config, was "${kindName(item)}"`, hint);
        return [];
      }
      const text = item.kind === 'string' ? item.value : jsonOf(withTextId(item));
      try {
        readObject(text);
        return [text];
      } catch (error) {
        this.add('HR_CONFIG_INVALID_VALUE', at, item.origin, messageOf(error));
        return [];
      }
    });
  }

  #id(node: ConfigNode, path: string): string[] {
    const id = scalarText(node);
    if (id === undefined) this.wrong(path, node, `The id of a document must be a string, was "${kindName(node)}"`);
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
      const hint = best === undefined ? 'docs/errors.md lists the error codes.' : `Did you mean ${best}?`;
      const { origin } = node.entries.get('code') ?? node;
      this.add('HR_CONFIG_INVALID_VALUE', join(path, 'code'), origin, `There is no error code ${code}`, hint);
    }
    return [failure as ExpectedFailure];
  }
}

/** Converts the id to a string: `id: 1` means "1", as in all places of a config that expect a string. */
function withTextId(node: ObjectNode): ObjectNode {
  const id = node.entries.get('id');
  const text = id === undefined ? undefined : scalarText(id);
  if (id === undefined || text === undefined || id.kind === 'string') return node;
  const { origin } = id;
  return { ...node, entries: new Map(node.entries).set('id', { kind: 'string', value: text, origin }) };
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

/**
 * Returns a document as JSON, with the numbers as written in the config. HOCON does not distinguish `1.0` from `1`, but
 * a search engine does.
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
