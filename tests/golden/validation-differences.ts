/** Recorded validations with an intended difference, by name, and the reason. The docs list each of them. */
export const VALIDATION_DIFFERENCES: Readonly<Record<string, string>> = {
  'val-connector-pipeline-missing': 'validation reports a pipeline that does not exist',
  'val-empty-pipelines': 'validation reports a pipeline that does not exist',
  'val-indexer-solr-url-string': 'a single text is a valid `url`',
  'val-other-log': 'a value of a wrong type is reported once, at its position',
  'es-index-override': 'the Elasticsearch indexer supports `indexOverrideField` and `versionField`',
};
