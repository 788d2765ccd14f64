import { type ClassComment, readDocComments } from './doc-comments.ts';
import type { TObject } from './schema.ts';
import { type SpecField, specFields } from './spec.ts';

export type ComponentKind = 'connector' | 'stage' | 'indexer';

/** What is known of a component without loading it. */
export interface CatalogEntry {
  kind: ComponentKind;
  /** The short name, which is the name of the exported class. */
  name: string;
  /** URL of the module; in a catalog file its path from there. */
  module: string;
  /** Other names that configs may use, such as the reference's class name. */
  aliases: string[];
  /** For an indexer: the value of `indexer.type` that selects it. */
  type?: string;
  /** For an indexer: the config block that holds its parameters. */
  block?: string;
  package: string;
  readonly description?: string | undefined;
  /**
   * For a stage that runs a script: in a sandbox of its own where the config is not trusted; in a process that goes
   * behind a boundary of the operating system then; or in a process of the machine.
   */
  scripts?: 'sandbox' | 'boundary' | 'process';
  readonly fields: SpecField[];
  readonly schema: TObject;
  readonly examples?: unknown[] | undefined;
}

/**
 * The fields of a component that are its own, without those that all of its kind have. Those of a `FLAT` object are
 * listed with dots in their names, and stand in the schema below its name.
 */
export function ownFields({ fields, schema }: Pick<CatalogEntry, 'fields' | 'schema'>): SpecField[] {
  const keys = Object.keys(schema.properties);
  return fields.filter(({ name }) => keys.some((key) => name === key || name.startsWith(`${key}.`)));
}

/** The package of the reference's classes, by kind: their Java names are made of it unless a class says another. */
const JAVA_PACKAGES: Record<ComponentKind, string> = {
  connector: 'com.kmwllc.lucille.connector',
  stage: 'com.kmwllc.lucille.stage',
  indexer: 'com.kmwllc.lucille.indexer',
};

/** The members of a component class that the catalog tells of. */
interface DescribedClass {
  readonly name: string;
  readonly kind: ComponentKind;
  readonly parameters: TObject;
  readonly type?: string;
  readonly block?: string;
  readonly scripts?: 'sandbox' | 'boundary' | 'process';
  readonly examples?: unknown[];
  /** The Java name where it is not made of the package and the name; null when the reference has no such class. */
  readonly javaClass?: string | null;
}

/** Whether an export of a module is a component: by its shape, because a module may bring its own copy of the base class. */
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
 * The entries of a module's components. Descriptions come from the doc comments in its source, which is read when one
 * is asked for.
 * @param file the source of the module, a `file:` URL; undefined if it is not a file
 * @param common parameters that every component of a kind takes, by kind
 */
export function describeModule(
  exports: Record<string, unknown>,
  file: string | undefined,
  module: string,
  packageName: string,
  common: Readonly<Record<ComponentKind, TObject | undefined>>,
): CatalogEntry[] {
  let comments: ReadonlyMap<string, ClassComment> | undefined;
  const commentOf = (name: string): ClassComment | undefined => {
    comments ??= file === undefined ? new Map() : readDocComments(file);
    return comments.get(name);
  };
  const entries: CatalogEntry[] = [];
  for (const [name, exported] of Object.entries(exports)) {
    if (!isComponentClass(exported)) continue;
    const { kind, javaClass, type, block, scripts, examples, parameters } = exported;
    entries.push({
      kind,
      name,
      module,
      aliases: javaClass === null ? [] : [javaClass ?? `${JAVA_PACKAGES[kind]}.${name}`],
      ...(type === undefined ? {} : { type }),
      ...(block === undefined ? {} : { block }),
      ...(scripts === undefined ? {} : { scripts }),
      package: packageName,
      get description() {
        return commentOf(name)?.description || undefined;
      },
      get fields() {
        return fieldsOf(parameters, commentOf(name), common[kind]);
      },
      schema: parameters,
      ...(examples === undefined ? {} : { examples }),
    });
  }
  return entries;
}

/** The parameters of a component and those that all of its kind take, sorted by name. */
function fieldsOf(parameters: TObject, comment: ClassComment | undefined, common: TObject | undefined): SpecField[] {
  const own = specFields(parameters, comment?.parameters);
  return [...own, ...(common === undefined ? [] : specFields(common))].sort((a, b) => (a.name < b.name ? -1 : 1));
}
