import type { ComponentKind } from './catalog.ts';

/** A class that is not built in: it is in a package in the folder `plugins`, which users install beside Headrace. */
interface PluginClass {
  readonly kind: ComponentKind | 'file handler';
  readonly name: string;
  /** The Java package of the class. Undefined if the reference has no such class. */
  readonly javaPackage?: string;
  /** The top-level config block of an indexer. */
  readonly block?: string;
  /** The name of the package. */
  readonly npm: string;
}

const ROOT = 'com.kmwllc.lucille';
const EMBEDDINGS = '@headrace/embeddings';
const ENTITIES = '@headrace/entities';
const PARQUET = '@headrace/parquet';
const VECTOR_STORES = '@headrace/vector-stores';

/** All classes of plugins. */
const PLUGIN_CLASSES: readonly PluginClass[] = [
  {
    kind: 'connector',
    name: 'ParquetConnector',
    javaPackage: `${ROOT}.parquet.connector`,
    npm: PARQUET,
  },
  { kind: 'indexer', name: 'ParquetIndexer', block: 'parquet', npm: PARQUET },
  {
    kind: 'stage',
    name: 'TextExtractor',
    javaPackage: `${ROOT}.tika.stage`,
    npm: '@headrace/text-extraction',
  },
  {
    kind: 'stage',
    name: 'ApplyOCR',
    javaPackage: `${ROOT}.ocr.stage`,
    npm: '@headrace/ocr',
  },
  { kind: 'stage', name: 'JlamaEmbed', javaPackage: `${ROOT}.jlama.stage`, npm: EMBEDDINGS },
  { kind: 'stage', name: 'LocalEmbed', npm: EMBEDDINGS },
  { kind: 'stage', name: 'ChunkPassages', npm: EMBEDDINGS },
  { kind: 'stage', name: 'ApplyOpenNLPNameFinders', javaPackage: `${ROOT}.stage`, npm: ENTITIES },
  {
    kind: 'stage',
    name: 'EmitDocsToDeleteByPrefix',
    javaPackage: `${ROOT}.pinecone.stage`,
    npm: VECTOR_STORES,
  },
  {
    kind: 'indexer',
    name: 'PineconeIndexer',
    javaPackage: `${ROOT}.pinecone.indexer`,
    block: 'pinecone',
    npm: VECTOR_STORES,
  },
  {
    kind: 'indexer',
    name: 'WeaviateIndexer',
    javaPackage: `${ROOT}.weaviate.indexer`,
    block: 'weaviate',
    npm: VECTOR_STORES,
  },
  { kind: 'indexer', name: 'LanceDBIndexer', block: 'lancedb', npm: VECTOR_STORES },
  { kind: 'indexer', name: 'QdrantIndexer', block: 'qdrant', npm: VECTOR_STORES },
  {
    kind: 'file handler',
    name: 'VideoFileHandler',
    javaPackage: `${ROOT}.video`,
    npm: '@headrace/video',
  },
];

/** The names of the packages of Headrace that contain plugins. */
export const pluginPackages: readonly string[] = [...new Set(PLUGIN_CLASSES.map(({ npm }) => npm))];

/** The top-level config blocks of indexers that are in plugins. */
export const pluginBlocks: readonly string[] = PLUGIN_CLASSES.flatMap(({ block }) => block ?? []);

/** Returns all names of the classes of a kind that are in plugins. */
export function pluginClassNames(kind: PluginClass['kind']): string[] {
  return PLUGIN_CLASSES.filter((each) => each.kind === kind).flatMap(({ name, javaPackage }) =>
    javaPackage === undefined ? name : [name, `${javaPackage}.${name}`],
  );
}

/**
 * Returns the error for a class of a plugin that is not installed, by its short name or its Java name. Returns undefined
 * for other classes.
 */
export function missingPlugin(kind: PluginClass['kind'], name: string): { message: string; hint: string } | undefined {
  const found = findPluginClass(kind, name);
  if (found === undefined) return undefined;
  return {
    message: `The ${kind} ${found.name} is in the package ${found.npm}, which is not installed`,
    hint: `Install it beside Headrace: npm install ${found.npm}. Add -g if Headrace was installed with -g.`,
  };
}

/** Returns the class of a plugin, by its short name or its Java name. */
export function findPluginClass(kind: PluginClass['kind'], name: string): PluginClass | undefined {
  // The value of `indexer.type`, from which the name of an indexer is made, may have any letter case.
  const isNamed = (short: string) => (kind === 'indexer' ? name.toLowerCase() === short.toLowerCase() : name === short);
  return PLUGIN_CLASSES.find(
    (each) => each.kind === kind && (isNamed(each.name) || name === `${each.javaPackage}.${each.name}`),
  );
}
