import type { ComponentKind } from './catalog.ts';

/** A class of a plugin of the reference that Headrace does not support yet. */
interface PluginClass {
  readonly kind: ComponentKind | 'file handler';
  readonly name: string;
  readonly javaPackage: string;
  /** The name of the plugin in the reference. */
  readonly plugin: string;
  /** The top-level config block of an indexer. */
  readonly block?: string;
  /** A hint that says what to use instead. */
  readonly instead: string;
}

const ROOT = 'com.kmwllc.lucille';
const VECTORS = 'Write to OpenSearch, Elasticsearch, Solr or Postgres, which store vectors too, or use HTTPIndexer.';

/** The only list of missing plugins. When Headrace supports a plugin, remove it from this list. */
const PLUGIN_CLASSES: readonly PluginClass[] = [
  {
    kind: 'connector',
    name: 'ParquetConnector',
    javaPackage: `${ROOT}.parquet.connector`,
    plugin: 'parquet',
    instead: 'Convert the files to CSV or JSON Lines, and read them with FileConnector.',
  },
  {
    kind: 'stage',
    name: 'TextExtractor',
    javaPackage: `${ROOT}.tika.stage`,
    plugin: 'tika',
    instead: 'Extract the text before the run, with Apache Tika for example, and remove the stage.',
  },
  {
    kind: 'stage',
    name: 'ApplyOCR',
    javaPackage: `${ROOT}.ocr.stage`,
    plugin: 'ocr',
    instead: 'Recognize the text before the run, with Tesseract for example, and remove the stage.',
  },
  {
    kind: 'stage',
    name: 'JlamaEmbed',
    javaPackage: `${ROOT}.jlama.stage`,
    plugin: 'jlama',
    instead: 'Use OpenAIEmbed, with any server that has an OpenAI-compatible API.',
  },
  {
    kind: 'stage',
    name: 'ApplyOpenNLPNameFinders',
    javaPackage: `${ROOT}.stage`,
    plugin: 'entity extraction',
    instead: 'Use ExtractEntities with a dictionary, or PromptOllama with a model.',
  },
  {
    kind: 'stage',
    name: 'EmitDocsToDeleteByPrefix',
    javaPackage: `${ROOT}.pinecone.stage`,
    plugin: 'pinecone',
    instead: 'Remove the stage: only PineconeIndexer needs it.',
  },
  {
    kind: 'indexer',
    name: 'PineconeIndexer',
    javaPackage: `${ROOT}.pinecone.indexer`,
    plugin: 'pinecone',
    block: 'pinecone',
    instead: VECTORS,
  },
  {
    kind: 'indexer',
    name: 'WeaviateIndexer',
    javaPackage: `${ROOT}.weaviate.indexer`,
    plugin: 'weaviate',
    block: 'weaviate',
    instead: VECTORS,
  },
  {
    kind: 'file handler',
    name: 'VideoFileHandler',
    javaPackage: `${ROOT}.video`,
    plugin: 'video',
    instead: 'Remove the handler, or extract the frames before the run.',
  },
];

/** The top-level config blocks of indexers that are in missing plugins. */
export const pluginBlocks: readonly string[] = PLUGIN_CLASSES.flatMap(({ block }) => block ?? []);

/**
 * Returns the error for a class in a missing plugin, by its short name or its Java name. Returns undefined for other
 * classes.
 */
export function missingPlugin(kind: PluginClass['kind'], name: string): { message: string; hint: string } | undefined {
  const found = PLUGIN_CLASSES.find(
    (each) => each.kind === kind && (name === each.name || name === `${each.javaPackage}.${each.name}`),
  );
  if (found === undefined) return undefined;
  const message = `The ${kind} ${found.name} is in Lucille's plugin ${found.plugin}, which Headrace does not have yet`;
  return { message, hint: found.instead };
}
