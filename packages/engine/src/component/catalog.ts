import type { TObject } from './schema.ts';
import { type SpecField, specFields } from './spec.ts';

export type ComponentKind = 'connector' | 'stage' | 'indexer';

/** The facts about a component that are known before its module is loaded. */
export interface CatalogEntry {
  kind: ComponentKind;
  /** The short name. It is the name of the exported class. */
  name: string;
  /** The URL of the module. In a catalog file: the path relative to that file. */
  module: string;
  /** Other names that configs may use, such as the class name of the reference. */
  aliases: string[];
  /** For an indexer: the value of `indexer.type` that selects the indexer. */
  type?: string;
  /** For an indexer: the config block that contains its parameters. */
  block?: string;
  package: string;
  readonly description?: string | undefined;
  /**
   * For a stage that runs a script: where the script runs. `sandbox`: in a sandbox if the config is not trusted.
   * `boundary`: in a process that the operating system isolates if the config is not trusted. `process`: in a normal
   * process.
   */
  scripts?: 'sandbox' | 'boundary' | 'process';
  readonly fields: SpecField[];
  readonly schema: TObject;
  readonly examples?: unknown[] | undefined;
}

/**
 * Returns the parameters of the component itself, without the parameters that all components of its kind have.
 * Parameters of a `FLAT` object are listed with dotted names. In the schema they are nested in the object.
 */
export function ownFields({ fields, schema }: Pick<CatalogEntry, 'fields' | 'schema'>): SpecField[] {
  const keys = Object.keys(schema.properties);
  return fields.filter(({ name }) => keys.some((key) => name === key || name.startsWith(`${key}.`)));
}

/**
 * The Java package of the reference classes, by kind. It is the start of the Java name of a class that declares no
 * other name.
 */
const JAVA_PACKAGES: Record<ComponentKind, string> = {
  connector: 'com.kmwllc.lucille.connector',
  stage: 'com.kmwllc.lucille.stage',
  indexer: 'com.kmwllc.lucille.indexer',
};

/** The doc comments of a component class, which the build reads. Paragraphs are separated by an empty line. */
export interface ClassComment {
  /** The comment of the class. Lines with an indent of four spaces are lines of a config example. */
  readonly description: string;
  /** The comments of the parameters. The key of a nested parameter is `outer.inner`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The static members of a component class that the catalog describes. */
interface DescribedClass {
  readonly name: string;
  readonly kind: ComponentKind;
  readonly parameters: TObject;
  readonly type?: string;
  readonly block?: string;
  readonly scripts?: 'sandbox' | 'boundary' | 'process';
  readonly examples?: unknown[];
  /** The description of a class whose doc comments the build does not read, such as a custom component. */
  readonly description?: unknown;
  /** The Java name, if it is not the package and the short name; null if the reference has no such class. */
  readonly javaClass?: string | null;
}

/**
 * Returns true if an export of a module is a component class. Checks the static members, not the base class, because a
 * module may contain another copy of the base class.
 */
export function isComponentClass(exported: unknown): exported is DescribedClass {
  if (typeof exported !== 'function' || !('kind' in exported) || !('parameters' in exported)) return false;
  const { kind, parameters } = exported as unknown as { kind: unknown; parameters: unknown };
  return (
    (kind === 'connector' || kind === 'stage' || kind === 'indexer') &&
    typeof parameters === 'object' &&
    parameters !== null &&
    'properties' in parameters
  );
}

/**
 * Returns the catalog entries of the components of a module.
 * @param common by kind: the parameters that every component of the kind has
 * @param comments the doc comments of the classes, by name. They override the descriptions in the code.
 */
export function describeModule(
  exports: Record<string, unknown>,
  module: string,
  packageName: string,
  common: Readonly<Record<ComponentKind, TObject | undefined>>,
  comments: ReadonlyMap<string, ClassComment> = new Map(),
): CatalogEntry[] {
  const entries: CatalogEntry[] = [];
  for (const [name, exported] of Object.entries(exports)) {
    if (!isComponentClass(exported)) continue;
    const { kind, javaClass, type, block, scripts, examples, parameters } = exported;
    const comment = comments.get(name);
    const description = comment?.description || exported.description;
    entries.push({
      kind,
      name,
      module,
      aliases: javaClass === null ? [] : [javaClass ?? `${JAVA_PACKAGES[kind]}.${name}`],
      ...(type === undefined ? {} : { type }),
      ...(block === undefined ? {} : { block }),
      ...(scripts === undefined ? {} : { scripts }),
      package: packageName,
      ...(typeof description === 'string' ? { description } : {}),
      get fields() {
        return fieldsOf(parameters, comment, common[kind]);
      },
      schema: parameters,
      ...(examples === undefined ? {} : { examples }),
    });
  }
  return entries;
}

/** Returns the parameters of a component and the common parameters of its kind, sorted by name. */
function fieldsOf(parameters: TObject, comment: ClassComment | undefined, common: TObject | undefined): SpecField[] {
  const own = specFields(parameters, comment?.parameters);
  return [...own, ...(common === undefined ? [] : specFields(common))].sort((a, b) => (a.name < b.name ? -1 : 1));
}
