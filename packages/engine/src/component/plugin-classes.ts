import type { ComponentKind } from './catalog.ts';

/** A class that is not built in: it is in a plugin of Headrace, or in a plugin of the reference that Headrace lacks. */
interface PluginClass {
  readonly kind: ComponentKind | 'file handler';
  readonly name: string;
  /** The Java package of the class. Undefined if the reference has no such class. */
  readonly javaPackage?: string;
  /** The top-level config block of an indexer. */
  readonly block?: string;
  readonly plugin: InstallablePlugin | MissingPlugin;
}

/** A plugin of Headrace: a package in the folder `plugins`, which users install beside Headrace. */
interface InstallablePlugin {
  readonly npm: string;
}

/** A plugin of the reference that Headrace does not have yet. */
interface MissingPlugin {
  /** The name of the plugin in the reference. */
  readonly of: string;
  /** A hint that says what to use instead. */
  readonly instead: string;
}

const ROOT = 'com.kmwllc.lucille';
const EMBEDDINGS: InstallablePlugin = { npm: '@headrace/embeddings' };
const ENTITIES: InstallablePlugin = { npm: '@headrace/entities' };
const PARQUET: InstallablePlugin = { npm: '@headrace/parquet' };
const VECTOR_STORES: InstallablePlugin = { npm: '@headrace/vector-stores' };

/** All classes of plugins. The entry of a class that Headrace supports names its package. */
const PLUGIN_CLASSES: readonly PluginClass[] = [
  {
    kind: 'connector',
    name: 'ParquetConnector',
    javaPackage: `${ROOT}.parquet.connector`,
    plugin: PARQUET,
  },
  {
    kind: 'stage',
    name: 'TextExtractor',
    javaPackage: `${ROOT}.tika.stage`,
    plugin: { npm: '@headrace/text-extraction' },
  },
  {
    kind: 'stage',
    name: 'ApplyOCR',
    javaPackage: `${ROOT}.ocr.stage`,
    plugin: { npm: '@headrace/ocr' },
  },
  { kind: 'stage', name: 'JlamaEmbed', javaPackage: `${ROOT}.jlama.stage`, plugin: EMBEDDINGS },
  { kind: 'stage', name: 'LocalEmbed', plugin: EMBEDDINGS },
  { kind: 'stage', name: 'ApplyOpenNLPNameFinders', javaPackage: `${ROOT}.stage`, plugin: ENTITIES },
  {
    kind: 'stage',
    name: 'EmitDocsToDeleteByPrefix',
    javaPackage: `${ROOT}.pinecone.stage`,
    plugin: VECTOR_STORES,
  },
  {
    kind: 'indexer',
    name: 'PineconeIndexer',
    javaPackage: `${ROOT}.pinecone.indexer`,
    block: 'pinecone',
    plugin: VECTOR_STORES,
  },
  {
    kind: 'indexer',
    name: 'WeaviateIndexer',
    javaPackage: `${ROOT}.weaviate.indexer`,
    block: 'weaviate',
    plugin: VECTOR_STORES,
  },
  { kind: 'indexer', name: 'QdrantIndexer', block: 'qdrant', plugin: VECTOR_STORES },
  {
    kind: 'file handler',
    name: 'VideoFileHandler',
    javaPackage: `${ROOT}.video`,
    plugin: { of: 'video', instead: 'Remove the handler, or extract the frames before the run.' },
  },
];

/** The names of the packages of Headrace that contain plugins. */
export const pluginPackages: readonly string[] = [
  ...new Set(PLUGIN_CLASSES.flatMap(({ plugin }) => ('npm' in plugin ? plugin.npm : []))),
];

/** The top-level config blocks of indexers that are in plugins. */
export const pluginBlocks: readonly string[] = PLUGIN_CLASSES.flatMap(({ block }) => block ?? []);

/**
 * Returns the error for a class of a plugin that is not installed or that Headrace lacks, by its short name or its Java
 * name. Returns undefined for other classes.
 */
export function missingPlugin(kind: PluginClass['kind'], name: string): { message: string; hint: string } | undefined {
  // The value of `indexer.type`, from which the name of an indexer is made, may have any letter case.
  const isNamed = (short: string) => (kind === 'indexer' ? name.toLowerCase() === short.toLowerCase() : name === short);
  const found = PLUGIN_CLASSES.find(
    (each) => each.kind === kind && (isNamed(each.name) || name === `${each.javaPackage}.${each.name}`),
  );
  if (found === undefined) return undefined;
  const { plugin } = found;
  if ('npm' in plugin) {
    return {
      message: `The ${kind} ${found.name} is in the package ${plugin.npm}, which is not installed`,
      hint: `Install it beside Headrace: npm install ${plugin.npm}. Add -g if Headrace was installed with -g.`,
    };
  }
  const message = `The ${kind} ${found.name} is in Lucille's plugin ${plugin.of}, which Headrace does not have yet`;
  return { message, hint: plugin.instead };
}
