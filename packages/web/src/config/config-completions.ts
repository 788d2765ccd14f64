import { type ConfigContext, contextAt } from './config-context.ts';
import type { Component, ConfigKnowledge, Parameter } from './config-knowledge.ts';
import { type ConfigModel, configModel } from './config-model.ts';
import { componentDocumentation, firstSentence, parameterDocumentation } from './documentation.ts';
import { fieldInsertion, type Insertion, writtenKey, writtenString } from './insertions.ts';
import { hasFieldKeys, knownFields, namesFields } from './known-fields.ts';
import type { ParsedConfig } from './parsed-config.ts';

/** One entry of the list of completions. */
export interface ConfigCompletion {
  readonly label: string;
  readonly kind: 'class' | 'parameter' | 'block' | 'value' | 'field' | 'pipeline';
  /** A short text beside the label, such as the type. */
  readonly detail: string;
  /** The documentation in Markdown. Empty if there is none. */
  readonly info: string;
  readonly insertion: Insertion;
  readonly required: boolean;
}

export interface ConfigCompletions {
  /** The part of the text that a completion replaces. */
  readonly from: number;
  readonly to: number;
  /** The best ones are first. They are not filtered by the written prefix. */
  readonly options: readonly ConfigCompletion[];
}

export interface CompletionOptions {
  /** The model of the config, if it is known already. */
  readonly model?: ConfigModel;
  /** Names of fields that the caller knows, such as the columns of a CSV file. */
  readonly knownFields?: readonly string[];
}

/** Returns what can be written at an offset. Returns undefined if there is nothing to complete. */
export function completionsAt(
  config: ParsedConfig,
  offset: number,
  knowledge: ConfigKnowledge,
  options: CompletionOptions = {},
): ConfigCompletions | undefined {
  const context = contextAt(config, offset);
  if (context.position === 'none') return undefined;
  const completer = new Completer(config, context, knowledge, options);
  const found = context.position === 'key' ? completer.keys() : completer.values();
  if (found.length === 0) return undefined;
  return { ...context.replace, options: found };
}

class Completer {
  readonly #config: ParsedConfig;
  readonly #context: ConfigContext;
  readonly #knowledge: ConfigKnowledge;
  readonly #options: CompletionOptions;

  constructor(config: ParsedConfig, context: ConfigContext, knowledge: ConfigKnowledge, options: CompletionOptions) {
    this.#config = config;
    this.#context = context;
    this.#knowledge = knowledge;
    this.#options = options;
  }

  keys(): ConfigCompletion[] {
    const { path, key, parameter } = this.#context;
    const config = this.#config;
    const given = new Set(config.objectsAt(path).flatMap(({ fields }) => fields.map((field) => field.key.path[0])));
    if (key !== undefined) given.delete(key);
    const keys = this.#knowledge.keysAt(config, path).filter(({ name }) => !given.has(name));
    const shown = path.length === 0 ? keys.filter(({ name }) => this.#isUsefulBlock(name)) : keys;
    const found = shown.map((one) => this.#key(one, path.length === 0 ? 'block' : 'parameter'));
    const mapsFields = parameter !== undefined && hasFieldKeys(parameter) && path.at(-1) === parameter;
    if (!mapsFields) return found;
    const fields = this.#fields().filter((name) => !given.has(name));
    return [...found, ...fields.map((name) => this.#fieldKey(name))];
  }

  values(): ConfigCompletion[] {
    const { path, component, list } = this.#context;
    const last = path.findLast((step) => typeof step === 'string');
    const kind = this.#kindOfElement();
    if (kind !== undefined) return this.#knowledge.ofKind(kind).map((one) => this.#skeleton(one));
    const isOwn = component !== undefined && path.length === component.path.length + 1;
    if (isOwn && last === 'class')
      return this.#knowledge.ofKind(component.kind).map((one) => this.#class(one, one.class));
    if (component?.kind === 'indexer' && last === 'type') {
      return this.#knowledge
        .ofKind('indexer')
        .flatMap((one) => (one.type === undefined ? [] : this.#class(one, one.type)));
    }
    if (last === 'pipeline' && (path[0] === 'connectors' || path[0] === 'tests' || path[0] === 'worker')) {
      return this.#model().pipelines.flatMap(({ name }) => (name === undefined ? [] : this.#text(name, 'pipeline')));
    }
    const found = this.#choices(this.#knowledge.parameterAt(this.#config, path), list !== undefined);
    if (last === undefined || !this.#namesFields(last)) return found;
    const given = new Set(list?.items.map(({ from, to }) => this.#config.text.slice(from, to).replace(/^"|"$/g, '')));
    given.delete(this.#written());
    const fields = this.#fields().filter((name) => !given.has(name));
    return [...found, ...fields.map((name) => this.#text(name, 'field'))];
  }

  /** Returns the values of a parameter that are known: listed values, `true` and `false`, or the default. */
  #choices(parameter: Parameter | undefined, inList: boolean): ConfigCompletion[] {
    if (parameter === undefined) return [];
    const { choices, type, default: otherwise } = parameter;
    const mark = (value: string) => (value === String(otherwise) ? 'default' : '');
    if (choices.length > 0) return choices.map((choice) => this.#text(choice, 'value', mark(choice)));
    if (inList) return [];
    if (type === 'boolean') return ['true', 'false'].map((value) => this.#literal(value, mark(value)));
    if (type === 'number' && typeof otherwise === 'number') return [this.#literal(String(otherwise), 'default')];
    if (type !== 'string' || typeof otherwise !== 'string' || otherwise === '') return [];
    return [this.#text(otherwise, 'value', 'default')];
  }

  #key(parameter: Parameter, kind: 'block' | 'parameter'): ConfigCompletion {
    const { name, typeName, required } = parameter;
    const insertion = this.#context.separated ? this.#plain(this.#writtenKey(name)) : this.#newField(parameter);
    const info = parameterDocumentation(parameter);
    return { label: name, kind, detail: required ? `${typeName}, required` : typeName, info, insertion, required };
  }

  #newField(parameter: Parameter): Insertion {
    const insertion = fieldInsertion(parameter, this.#config.style);
    if (!this.#config.isJson) return insertion;
    // Another field follows, so JSON needs a comma.
    const isFollowed = /^\s*"/.test(this.#config.text.slice(this.#context.replace.to));
    return isFollowed ? { ...insertion, text: `${insertion.text},` } : insertion;
  }

  #fieldKey(name: string): ConfigCompletion {
    const { separator } = this.#config.style;
    const text = this.#writtenKey(name) + (this.#context.separated ? '' : separator);
    const shown = { label: name, kind: 'field', detail: 'field', info: '' } as const;
    return { ...shown, insertion: this.#plain(text), required: false };
  }

  #class(component: Component, name: string): ConfigCompletion {
    const info = componentDocumentation(component, this.#knowledge);
    const insertion = this.#plain(this.#writtenText(name));
    const detail = firstSentence(component.description);
    return { label: name, kind: 'class', detail, info, insertion, required: false };
  }

  /** Returns a whole element with a class, for an empty place in a list of components. */
  #skeleton(component: Component): ConfigCompletion {
    const { style } = this.#config;
    const { json, separator } = style;
    const required = this.#knowledge.parametersOf(component).filter((one) => one.required && one.name !== 'class');
    let text = `{ ${writtenKey('class', style)}${separator}${writtenString(component.class, style)}`;
    let select: Insertion['select'] | undefined;
    for (const parameter of required) {
      const field = fieldInsertion(parameter, { ...style, quotes: true });
      const start = text.length + 2;
      select ??= { from: start + field.select.from, to: start + field.select.to };
      text += `, ${field.text}`;
    }
    select ??= { from: text.length, to: text.length };
    text += ' }';
    const { to } = this.#context.replace;
    if (json && /^\s*[{"]/.test(this.#config.text.slice(to))) text += ',';
    return { ...this.#class(component, component.class), insertion: { text, select } };
  }

  #text(
    value: string,
    kind: 'value' | 'field' | 'pipeline',
    detail: string = kind === 'value' ? '' : kind,
  ): ConfigCompletion {
    return { label: value, kind, detail, info: '', insertion: this.#plain(this.#writtenText(value)), required: false };
  }

  #literal(value: string, detail: string): ConfigCompletion {
    return { label: value, kind: 'value', detail, info: '', insertion: this.#plain(value), required: false };
  }

  #plain(text: string): Insertion {
    return { text, select: { from: text.length, to: text.length } };
  }

  #writtenText(text: string): string {
    return this.#context.quoted ? JSON.stringify(text) : writtenString(text, this.#config.style);
  }

  #writtenKey(key: string): string {
    return this.#context.quoted ? JSON.stringify(key) : writtenKey(key, this.#config.style);
  }

  /** Returns the kind of the components of a list, if an element is written here. */
  #kindOfElement(): 'connector' | 'stage' | undefined {
    const { path, list, quoted } = this.#context;
    if (list === undefined || quoted) return undefined;
    if (path.length === 2 && path[0] === 'connectors') return 'connector';
    return path.length === 4 && path[0] === 'pipelines' && path[2] === 'stages' ? 'stage' : undefined;
  }

  /** Returns false for the block of an indexer that the config does not select. */
  #isUsefulBlock(name: string): boolean {
    const owner = this.#knowledge.ofBlock(name);
    const className = this.#config.textAt(['indexer', 'class']) ?? this.#config.textAt(['indexer', 'type']);
    const selected = this.#knowledge.component('indexer', className);
    return owner === undefined || selected === undefined || owner === selected || owner.block === selected.block;
  }

  /** Returns true if the value of a key is the name of a field. */
  #namesFields(key: string): boolean {
    const { path, component, parameter } = this.#context;
    if (path.includes('conditions')) return key === 'fields';
    if (component?.kind === 'indexer') return namesFields(key);
    if (component === undefined) {
      return this.#knowledge.ofBlock(String(path[0])) !== undefined && (namesFields(key) || key === 'columns');
    }
    return parameter !== undefined && namesFields(parameter);
  }

  /** Returns the names of the fields that documents probably have at this place. */
  #fields(): string[] {
    const [section, pipeline, , stage] = this.#context.path;
    const others = this.#options.knownFields ?? [];
    if (section === 'connectors') return [...others];
    const at = (index: number, before?: number) =>
      knownFields(this.#config, this.#model(), this.#knowledge, index, before, others);
    if (section === 'pipelines') return at(Number(pipeline), Number(stage));
    return [...new Set(this.#model().pipelines.flatMap((_, index) => at(index)))];
  }

  #model(): ConfigModel {
    return this.#options.model ?? configModel(this.#config);
  }

  /** Returns the word that is written at the position. */
  #written(): string {
    const { from, to } = this.#context.replace;
    return this.#config.text.slice(from, to).replace(/^"|"$/g, '');
  }
}
