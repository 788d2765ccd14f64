import { type Component, ConfigKnowledge, type SchemaNode } from './config-knowledge.ts';

const text = { type: ['string', 'number', 'boolean'] };
const optionalText = { type: ['string', 'number', 'boolean', 'null'] };
const texts = { type: ['array', 'object'], items: text };
const flag = { type: ['boolean', 'string', 'null'] };

const shared = (kind: string, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, { $ref: `#/$defs/${kind}Keys/properties/${key}` }]));
const stageKeys = shared('stage', ['class', 'name', 'enabled', 'conditions']);
const connectorKeys = shared('connector', ['class', 'name', 'pipeline']);

/** A small schema with the structure of the schema of the service. */
const schema: SchemaNode = {
  properties: {
    connectors: { type: ['array', 'object'], items: { $ref: '#/$defs/connector' }, description: 'The sources.' },
    pipelines: { type: ['array', 'object'], items: { $ref: '#/$defs/pipeline' } },
    indexer: { $ref: '#/$defs/indexer' },
    csv: { description: 'The parameters of CSVIndexer.' },
    solr: { description: 'The parameters of SolrIndexer.' },
    worker: {
      type: ['object', 'null'],
      properties: { threads: { type: ['number', 'string', 'null'], default: 2, description: 'The threads.' } },
    },
  },
  required: ['connectors', 'pipelines', 'indexer'],
  $defs: {
    connector: { type: 'object' },
    stage: { type: 'object' },
    pipeline: {
      type: 'object',
      required: ['name', 'stages'],
      properties: { name: text, stages: { type: ['array', 'object'], items: { $ref: '#/$defs/stage' } } },
    },
    condition: {
      type: 'object',
      properties: { fields: texts, operator: { enum: ['must', 'must_not', null], default: 'must' } },
    },
    indexer: {
      type: 'object',
      properties: { type: optionalText, class: optionalText, sendEnabled: { ...flag, default: true } },
    },
    connectorKeys: { properties: { class: {}, name: optionalText, pipeline: optionalText } },
    stageKeys: {
      properties: {
        class: {},
        name: optionalText,
        enabled: { ...flag, default: true, description: 'Whether the stage is part of the pipeline.' },
        conditions: { type: ['array', 'object', 'null'], items: { $ref: '#/$defs/condition' } },
      },
    },
    'connector.CSVConnector': {
      required: ['path'],
      properties: {
        ...connectorKeys,
        lineNumberField: { ...optionalText, default: 'csvLineNumber' },
        path: { ...text, description: 'The file.' },
      },
    },
    'stage.CopyFields': {
      required: ['fieldMapping'],
      properties: {
        ...stageKeys,
        fieldMapping: { type: 'object', additionalProperties: { anyOf: [{ type: 'string' }, texts] } },
        updateMode: { enum: ['overwrite', 'append', null], default: 'overwrite', description: 'What happens.' },
      },
    },
    'stage.TrimWhitespace': { required: ['fields'], properties: { ...stageKeys, fields: texts } },
    'stage.Concatenate': {
      required: ['dest', 'formatString'],
      properties: { ...stageKeys, dest: text, formatString: text },
    },
    'indexer.CSVIndexer': {
      required: ['path', 'columns'],
      properties: { path: text, columns: texts, append: { ...flag, default: false } },
    },
    'indexer.SolrIndexer': { required: ['url'], properties: { url: text } },
  },
};

function component(kind: Component['kind'], name: string, more: Partial<Component> = {}): Component {
  const aliases = [`com.kmwllc.lucille.${kind}.${name}`];
  const description = `${name} does something. It has more sentences.`;
  return { kind, class: name, aliases, description, fields: [], package: '@headrace/components', ...more };
}

/** Three stages, a connector and two indexers. */
export const knowledge = new ConfigKnowledge(
  [
    component('connector', 'CSVConnector'),
    component('stage', 'Concatenate'),
    component('stage', 'CopyFields'),
    component('stage', 'TrimWhitespace'),
    component('indexer', 'CSVIndexer', { type: 'CSV', block: 'csv' }),
    component('indexer', 'SolrIndexer', { type: 'Solr', block: 'solr' }),
  ],
  schema,
);
