/** Recorded validations with an intended difference, by name, and the reason. docs/differences.md has each of them. */
export const VALIDATION_DIFFERENCES: Readonly<Record<string, string>> = {
  'val-connector-pipeline-missing': 'a pipeline that does not exist is found by validation',
  'val-empty-pipelines': 'a pipeline that does not exist is found by validation',
  'val-indexer-solr-url-string': 'a plain text is a good `url`',
  'val-other-log': 'a value of a wrong type is reported once, at its position',
  'es-index-override': 'Elasticsearch honours `indexOverrideField` and `versionField`',
};
