import type { Schemas } from '@headrace/client';
import type { EditPath, PlainValue, Span, TextChange } from '@headrace/hocon';
import { applyChanges, EditError, removeKey, setAt } from '@headrace/hocon';
import { fieldAt } from './config-hover.ts';
import type { ConfigKnowledge } from './config-knowledge.ts';
import { configModel } from './config-model.ts';
import { placeholderOf, writtenKey, writtenString } from './insertions.ts';
import { ParsedConfig } from './parsed-config.ts';

/** A problem of `POST /v1/config/validate`. */
export type ConfigProblem = Schemas['Problem'];

/** A change of the text that probably solves a problem. */
export interface ConfigFix {
  /** The effect of the fix, such as `Replace with "fields"`. */
  readonly title: string;
  readonly changes: readonly TextChange[];
  /** The part of the new text that the user types next. */
  readonly select: Span | undefined;
}

const MEANT = /Did you mean (?:"([^"]+)"|(\S+?))(?: instead of (\S+?))?\?/;
const ADD_PIPELINE = /^Add pipeline: (.+?)( to a connector)?\.$/;

/** Returns the fixes of a problem, the best one first. */
export function fixesOf(config: ParsedConfig, problem: ConfigProblem, knowledge: ConfigKnowledge): ConfigFix[] {
  if (problem.file !== undefined) return [];
  return new Fixer(config, problem, knowledge).fixes();
}

/** Returns undefined if the value is not written at a place that can be edited. */
function ifEditable(edit: () => ConfigFix | undefined): ConfigFix | undefined {
  try {
    return edit();
  } catch (error) {
    if (error instanceof EditError) return undefined;
    throw error;
  }
}

/** Returns the part of the text that a problem underlines. Returns undefined without a position in this text. */
export function spanOfProblem(config: ParsedConfig, { line, column, file }: ConfigProblem): Span | undefined {
  if (line === undefined || file !== undefined) return undefined;
  const offset = config.offsetAt(line, column ?? 1);
  if (offset === undefined) return undefined;
  const field = config.tree.root && fieldAt(config.tree.root, [], offset)?.field;
  if (field?.key.from === offset) return { from: field.key.from, to: field.key.to };
  const written = scalarAt(config, offset);
  if (written !== undefined) return written;
  const word = /^(?:[{[]|[^\s,:=[\]{}"]+|)/.exec(config.text.slice(offset, offset + 200))![0];
  return { from: offset, to: Math.min(config.text.length, offset + Math.max(1, word.length)) };
}

/** Returns the keys and indexes of a path such as `pipelines[0].stages[2]."a b"`. */
export function pathOf(path: string): EditPath {
  return Array.from(path.matchAll(/"(?:[^"\\]|\\.)*"|[^.[\]"]+|\[\d+\]/g), ([step]) => {
    if (step.startsWith('[')) return Number(step.slice(1, -1));
    return step.startsWith('"') ? (JSON.parse(step) as string) : step;
  });
}

class Fixer {
  readonly #config: ParsedConfig;
  readonly #problem: ConfigProblem;
  readonly #knowledge: ConfigKnowledge;
  readonly #path: EditPath;

  constructor(config: ParsedConfig, problem: ConfigProblem, knowledge: ConfigKnowledge) {
    this.#config = config;
    this.#problem = problem;
    this.#knowledge = knowledge;
    this.#path = pathOf(problem.path);
  }

  fixes(): ConfigFix[] {
    const { code, message, hint = '' } = this.#problem;
    const fixes: (ConfigFix | undefined)[] = [this.#meant(hint), this.#renamed(hint), this.#inBrackets(hint)];
    switch (code) {
      case 'HR_CONFIG_UNKNOWN_PARAMETER':
        fixes.push(ifEditable(() => this.#remove()));
        break;
      case 'HR_CONFIG_UNUSED':
        if (/has no effect|it has no|reads .*: it/.test(message) || hint.startsWith('Remove'))
          fixes.push(ifEditable(() => this.#remove()));
        break;
      case 'HR_CONFIG_MISSING_PARAMETER':
        fixes.push(ifEditable(() => this.#missingParameter(message)));
        break;
      case 'HR_CONFIG_MISSING_SECTION':
        fixes.push(ifEditable(() => this.#missingSection(hint)));
        break;
      case 'HR_CONFIG_MISSING_CLASS':
        if (!MEANT.test(hint)) fixes.push(ifEditable(() => this.#missingClass()));
        break;
      case 'HR_CONFIG_INVALID_VALUE':
        if (!MEANT.test(hint)) fixes.push(...this.#choices());
        break;
      case 'HR_CONFIG_MISSING_PIPELINE':
        fixes.push(...this.#pipelines(hint));
        break;
    }
    fixes.push(ifEditable(() => this.#addPipeline(hint)));
    return fixes.filter((fix) => fix !== undefined);
  }

  /** Replaces the key or the value with the one that the hint names. */
  #meant(hint: string): ConfigFix | undefined {
    const found = MEANT.exec(hint);
    if (found === null) return undefined;
    const [, quoted, plain, wrong] = found;
    const meant = quoted ?? plain ?? '';
    return wrong === undefined ? this.#replace(meant) : this.#renameKey([wrong], meant);
  }

  #renamed(hint: string): ConfigFix | undefined {
    const found = /^Rename (\S+) to (\S+)\.$/.exec(hint);
    return found === null ? undefined : this.#renameKey([found[1]!], found[2]!);
  }

  #replace(text: string): ConfigFix | undefined {
    const { line, column } = this.#problem;
    const offset = line === undefined ? undefined : this.#config.offsetAt(line, column ?? 1);
    if (offset === undefined) return undefined;
    const found = this.#config.tree.root && fieldAt(this.#config.tree.root, [], offset);
    if (found?.field.key.from === offset) return this.#renameKey(found.path, text);
    return this.#replaceValue(offset, text);
  }

  #replaceValue(offset: number, text: string): ConfigFix | undefined {
    const written = scalarAt(this.#config, offset);
    if (written === undefined) return undefined;
    const isQuoted = this.#config.text[written.from] === '"';
    const insert = isQuoted ? JSON.stringify(text) : writtenString(text, this.#config.style);
    return { title: `Replace with ${JSON.stringify(text)}`, changes: [{ ...written, insert }], select: undefined };
  }

  #renameKey(path: EditPath, name: string): ConfigFix | undefined {
    const fields = this.#config.fieldsAt(path);
    if (fields.length === 0) return undefined;
    const changes = fields.map(({ key }): TextChange => {
      const { style } = this.#config;
      const insert = key.quoted ? JSON.stringify(name) : writtenKey(name, style);
      const before = key.path.slice(0, -1).map((one) => writtenKey(one, style));
      return { from: key.from, to: key.to, insert: [...before, insert].join('.') };
    });
    return { title: `Replace with ${JSON.stringify(name)}`, changes, select: undefined };
  }

  #inBrackets(hint: string): ConfigFix | undefined {
    if (!hint.startsWith('Write it in brackets: ')) return undefined;
    const value = this.#config.fieldsAt(this.#path).at(-1)?.value;
    if (value === undefined) return undefined;
    const changes = [
      { from: value.from, to: value.from, insert: '[' },
      { from: value.to, to: value.to, insert: ']' },
    ];
    return { title: 'Write it as a list', changes, select: undefined };
  }

  #remove(): ConfigFix | undefined {
    const name = this.#path.at(-1);
    if (typeof name !== 'string') return undefined;
    const changes = removeKey(this.#config.text, this.#path, this.#config.options);
    return { title: `Remove ${JSON.stringify(name)}`, changes, select: undefined };
  }

  #missingParameter(message: string): ConfigFix | undefined {
    const key = /required property (\S+)/.exec(message)?.[1];
    if (key === undefined && typeof this.#path.at(-1) !== 'string') return undefined;
    return this.#add(key === undefined ? this.#path : [...this.#path, key]);
  }

  /** Adds a key with a value of its type. */
  #add(path: EditPath, value?: PlainValue): ConfigFix {
    const parameter = this.#knowledge.parameterAt(this.#config, path);
    const placeholder = value ?? (parameter === undefined ? '' : placeholderOf(parameter));
    const changes = setAt(this.#config.text, path, placeholder, this.#config.options);
    const name = String(path.at(-1));
    return { title: `Add ${JSON.stringify(name)}`, changes, select: selectionIn(this.#config, changes, path) };
  }

  #missingSection(hint: string): ConfigFix | undefined {
    const [section] = this.#path;
    if (typeof section !== 'string' || this.#path.length > 1 || hint.startsWith('Rename ')) return undefined;
    const owner = this.#knowledge.ofBlock(section);
    if (owner === undefined) return this.#add([section], []);
    const required = this.#knowledge.parametersOf(owner).filter((parameter) => parameter.required);
    return this.#add([section], Object.fromEntries(required.map((one) => [one.name, placeholderOf(one)])));
  }

  #missingClass(): ConfigFix {
    return this.#add([...this.#path, this.#path[0] === 'indexer' ? 'type' : 'class'], '');
  }

  /** Offers all allowed values of a parameter. */
  #choices(): ConfigFix[] {
    const parameter = this.#knowledge.parameterAt(this.#config, this.#path);
    const value = this.#config.fieldsAt(this.#path).at(-1)?.value;
    if (parameter === undefined || value === undefined || typeof this.#path.at(-1) !== 'string') return [];
    return parameter.choices.flatMap((choice) => this.#replaceValue(value.from, choice) ?? []);
  }

  #pipelines(hint: string): ConfigFix[] {
    const names = configModel(this.#config).pipelines.flatMap(({ name }) => name ?? []);
    const value = this.#config.fieldsAt(this.#path).at(-1)?.value;
    const meant = MEANT.exec(hint);
    if (value === undefined) return [];
    return names
      .filter((name) => name !== (meant?.[1] ?? meant?.[2]))
      .flatMap((name) => this.#replaceValue(value.from, name) ?? []);
  }

  #addPipeline(hint: string): ConfigFix | undefined {
    const found = ADD_PIPELINE.exec(hint);
    const name = found?.[1] ?? '…';
    if (name === '…') return undefined;
    const connectors = configModel(this.#config).connectors.filter(({ pipeline }) => pipeline === undefined);
    const path = found?.[2] === undefined ? this.#path : connectors[0]?.path;
    if (path === undefined || (found?.[2] !== undefined && connectors.length > 1)) return undefined;
    return this.#add([...path, 'pipeline'], name);
  }
}

/** Returns the simple value that starts at an offset. */
function scalarAt(config: ParsedConfig, offset: number): Span | undefined {
  const value = config.valueFrom(offset);
  const isScalar =
    value?.parts.every(({ kind }) => kind !== 'object' && kind !== 'list' && kind !== 'mistake') ?? false;
  return value === undefined || !isScalar ? undefined : { from: value.from, to: value.to };
}

/** Returns the part of the text after an edit where the value of a path is. It is inside the quotes or brackets. */
export function selectionIn(config: ParsedConfig, changes: readonly TextChange[], path: EditPath): Span | undefined {
  const text = applyChanges(config.text, changes);
  const value = new ParsedConfig(text, config.options).fieldsAt(path).at(-1)?.value;
  if (value === undefined) return undefined;
  const isEnclosed = /^["[{]/.test(text.slice(value.from, value.to)) && value.to - value.from >= 2;
  const inner = isEnclosed ? 1 : 0;
  return { from: value.from + inner, to: value.to - inner };
}
