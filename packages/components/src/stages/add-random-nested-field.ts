import {
  type ClassChoices,
  capped,
  checkNestedStage,
  commonParameters,
  copyValue,
  Document,
  HeadraceError,
  internName,
  type JsonObject,
  MapOf,
  type NestedPath,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  setNested,
  type TObject,
  Type,
  type Value,
} from '@headrace/engine';
import { javaTrim } from '@headrace/java-text/text';
import { checkDestination } from '../fields/destination.ts';
import { checkCounts, drawInteger } from '../random/draw.ts';
import { AddRandomBoolean } from './add-random-boolean.ts';
import { AddRandomDate } from './add-random-date.ts';
import { AddRandomDouble } from './add-random-double.ts';
import { AddRandomInt } from './add-random-int.ts';
import { AddRandomString } from './add-random-string.ts';

const JAVA_PACKAGE = 'com.kmwllc.lucille.stage.';

/** The stages that can generate the value of an entry. They write one field and read none. */
const GENERATORS = [AddRandomBoolean, AddRandomDate, AddRandomDouble, AddRandomInt, AddRandomString] as const;

/** The schema of generators for editors. It allows the parameters without effect, such as conditions. */
const choices: ClassChoices = {
  classes: GENERATORS.map(({ name, parameters }) => ({
    names: [name, `${JAVA_PACKAGE}${name}`],
    parameters: Type.Object({
      ...(commonParameters.stage as TObject).properties,
      ...parameters.properties,
      fieldName: Type.Optional(Type.Unknown()),
      name: Type.Optional(Type.Unknown()),
      conditions: Type.Optional(Type.Unknown()),
      conditionPolicy: Type.Optional(Type.Unknown()),
    }),
    describedBy: name,
  })),
};

const parameters = Type.Object({
  /** The field for the list of objects. A dot is part of the name. */
  targetField: Type.String(),
  /**
   * Maps each place in the objects to the field or the generator that supplies its value. At least one entry. A place
   * with a dot must be in quotes.
   */
  entries: MapOf(Type.String()),
  /** The number of objects. Cannot be combined with minNumObjects and maxNumObjects. Defaults to 1. */
  numObjects: Type.Optional(Type.Integer({ minimum: 1, ...capped('maxItems') })),
  /** The smallest number of objects, for a random number. Requires maxNumObjects. */
  minNumObjects: Type.Optional(Type.Integer({ minimum: 1, ...capped('maxItems') })),
  /** The largest number of objects, for a random number. */
  maxNumObjects: Type.Optional(Type.Integer({ minimum: 1, ...capped('maxItems') })),
  /**
   * The generators by name. Each is the config of a stage, with its parameters: AddRandomBoolean, AddRandomDate,
   * AddRandomDouble, AddRandomInt or AddRandomString. The parameters name, fieldName and conditions have no effect.
   */
  generators: Type.Optional(MapOf(Type.Unknown(), { choices })),
});

type GeneratorClass = (typeof GENERATORS)[number];
type ValueGenerator = InstanceType<GeneratorClass>;

/** The field that a generator writes, in a temporary document. */
const GENERATED = 'generated';

/** An entry of the config: a place in the objects, and the source of its value. */
interface Entry {
  /** The path of the value in each object. */
  readonly path: NestedPath;
  /** The field that has the value, or the generator that makes it. */
  readonly source: string;
}

/**
 * Builds a list of objects, from fields of the document and from random values.
 *
 * All objects have the same entries. The value of an entry is the value of the field that it names, with its type. If
 * the document lacks this field, the generator with this name makes a new value for each object. If neither exists, the
 * document fails. A null value is omitted, with a warning in the log.
 *
 * The place of an entry in the object is a path of names, separated by dots. A name of digits only is an index of a
 * list: "lines.0.price" is the price of the first line. Indexes start at 0 without gaps: an entry that would leave a
 * gap fails the document.
 *
 * If the target is already a list of objects, these objects get the entries. Objects beyond the number stay unchanged.
 * A target with another value fails the document.
 */
export class AddRandomNestedField extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Two offers, each with the brand of the product and a random price',
      params: {
        targetField: 'offers',
        numObjects: 2,
        entries: { brand: 'brand', 'price.amount': 'amount' },
        generators: { amount: { class: 'AddRandomInt', rangeStart: 7, rangeEnd: 8 } },
      },
      documents: [{ id: '1', brand: 'Acme' }],
      output: [
        {
          id: '1',
          brand: 'Acme',
          offers: [
            { brand: 'Acme', price: { amount: 7 } },
            { brand: 'Acme', price: { amount: 7 } },
          ],
        },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('targetField', params.targetField);
    yield* checkEntries(params.entries);
    yield* checkCounts(params, 'minNumObjects', 'maxNumObjects');
    if (params.numObjects !== undefined && (params.minNumObjects ?? params.maxNumObjects) !== undefined) {
      yield {
        parameter: 'numObjects',
        message: 'numObjects cannot be given together with minNumObjects and maxNumObjects',
      };
    }
    for (const [name, config] of params.generators ?? []) yield* readGenerator(name, config).problems;
  }

  readonly #entries: readonly Entry[];
  readonly #minObjects: number;
  /** The number of possible object counts. */
  readonly #counts: number;
  readonly #generators: ReadonlyMap<string, ValueGenerator>;
  /** The paths of the entries in the document, for each object. */
  readonly #paths: NestedPath[][] = [];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#entries = [...params.entries].map(([place, source]) => ({ path: parsePlace(place), source }));
    this.#minObjects = params.numObjects ?? params.minNumObjects ?? 1;
    this.#counts = (params.maxNumObjects ?? this.#minObjects) - this.#minObjects + 1;
    this.#generators = new Map(
      [...(params.generators ?? [])].map(([name, config]) => {
        const { Class, params: own } = readGenerator(name, config);
        if (Class === undefined) throw new TypeError(`The generator ${name} has a class that cannot be a generator`);
        return [name, new Class(own as never, { ...context, name: `${context.name}.${name}` })];
      }),
    );
  }

  override async start(): Promise<void> {
    for (const generator of this.#generators.values()) await generator.start?.();
  }

  override process(document: Document): void {
    const entries = this.#entries;
    const objects = listOf(document, this.params.targetField);
    const count = drawInteger(this.#minObjects, this.#counts);
    for (let i = 0; i < count; i++) {
      const paths = this.#pathsOf(i);
      for (let j = 0; j < entries.length; j++) {
        const value = this.#valueFor(document, entries[j] as Entry);
        if (value === undefined) continue;
        // A list has no gaps: earlier objects without a value become empty objects.
        while (objects.length < i) objects.push(new Map());
        setNested(document, paths[j] as NestedPath, value);
      }
    }
  }

  /** Returns the value of an entry for one object, or undefined if it is null or the generator made none. */
  #valueFor(document: Document, { source }: Entry): Value | undefined {
    const value = document.get(source);
    if (value === null) {
      const hint = 'the field is null, so the objects do not contain it';
      this.context.notices.report('stage.unchanged', { document: document.id, field: source, hint });
      return undefined;
    }
    if (value !== undefined) return copyValue(value);
    const generator = this.#generators.get(source);
    if (generator === undefined) {
      throw new HeadraceError('HR_STAGE_FAILED', `There is neither a field nor a generator "${source}"`);
    }
    // A new document for each value: adding and removing a field in one document would create a new shape each time.
    const scratch = Document.create('generator');
    generator.process(scratch);
    return scratch.get(GENERATED);
  }

  #pathsOf(object: number): readonly NestedPath[] {
    let paths = this.#paths[object];
    if (paths === undefined) {
      paths = this.#entries.map(({ path }) => [this.params.targetField, object, ...path]);
      this.#paths[object] = paths;
    }
    return paths;
  }
}

/** Returns the list in a field. Creates the list if the field is missing or null. */
function listOf(document: Document, field: string): Value[] {
  const value = document.get(field) ?? null;
  if (Array.isArray(value)) return value;
  if (value !== null) {
    throw new HeadraceError(
      'HR_DOCUMENT_TYPE',
      `Field "${field}" holds a single value, so no objects can be added to it`,
    );
  }
  const list: Value[] = [];
  document.set(field, list);
  return list;
}

function parsePlace(place: string): NestedPath {
  return javaTrim(place)
    .split('.')
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : internName(segment)));
}

function* checkEntries(entries: ReadonlyMap<string, string>): Generator<ParameterProblem> {
  if (entries.size === 0) yield { parameter: 'entries', message: 'entries must have at least one entry' };
  const places = new Set<string>();
  for (const place of entries.keys()) {
    const trimmed = javaTrim(place);
    if (trimmed.split('.').includes('')) {
      yield {
        parameter: ['entries', place],
        message: `"${place}" is not a place in an object: a name before or after a dot is empty`,
      };
    } else if (places.has(trimmed)) {
      yield { parameter: ['entries', place], message: `There is more than one entry for ${trimmed}` };
    }
    places.add(trimmed);
  }
}

/** Returns the class and the parameters of a generator, and the problems of its config. */
function readGenerator(
  name: string,
  config: unknown,
): { Class: GeneratorClass | undefined; params: Record<string, unknown>; problems: readonly ParameterProblem[] } {
  const at = ['generators', name];
  const given: JsonObject = config instanceof Map ? new Map(config) : new Map();
  const className = given.get('class');
  const Class = GENERATORS.find((one) => className === one.name || className === JAVA_PACKAGE + one.name);
  if (Class === undefined) {
    const problem = {
      parameter: given.has('class') ? [...at, 'class'] : at,
      message:
        typeof className === 'string' ? `${className} cannot be a generator` : `The generator ${name} has no class`,
      hint: `A generator is the config of a stage. Its class is one of ${GENERATORS.map((one) => one.name).join(', ')}.`,
    };
    return { Class, params: {}, problems: [problem] };
  }
  // The generator writes to a temporary document, so its fieldName, name and conditions have no effect.
  for (const key of ['name', 'conditions', 'conditionPolicy']) given.delete(key);
  given.set('fieldName', GENERATED);
  return { Class, ...checkNestedStage(Class, given, at) };
}
