/** Recorded runs that we decide otherwise, and why. Each is in docs/differences.md. */
export const runDifferences: Readonly<Record<string, string>> = {
  'engine/run-children-same-id': 'a child counts as created, whatever its id: the accounts add up',
  'engine/run-local-children-same-id': 'a child counts as created, whatever its id: the accounts add up',
  'engine/run-local-second-fails': 'all connectors of a run write one file: what the first wrote stays',
  'engine/run-max-pending-text': 'a number may be written as a text, in the engine blocks too',
  'engine/run-missing-pipeline': 'a pipeline that does not exist is found by validation',
  'connectors/csv-header-empty-name': 'a header with an empty name fails the file instead of every row, silently',
  'connectors/csv-leading-blank-line-single':
    'a header with an empty name fails the file instead of every row, silently',
  'connectors/csv-id-blank': 'a row with an empty id fails, with its place',
  'connectors/csv-line-multiline-count': 'a row with too few columns fails, with its place, instead of being skipped',
  'connectors/csv-missing-columns': 'a row with too few columns fails, with its place, instead of being skipped',
  'connectors/json-array': 'an array of objects is read',
  'connectors/json-bom': 'a byte-order mark is not data',
  'connectors/json-bad-last': 'a bad line fails by itself, with its place',
  'connectors/json-id-empty': 'a bad line fails by itself, with its place; the others go on',
  'connectors/json-id-number': 'a number is a good id',
  'connectors/json-run-id-inside': "a document that arrives with a run_id gets the new run's",
  'connectors/sleep-negative': 'found by validation',
  'indexers/csv-send-disabled': 'sendEnabled: false means that nothing is written, whatever the indexer',
  'indexers/csv-two-connectors': 'several connectors of a run write one file, header once',
  'connectors/db-null-id': 'a row whose id is NULL fails by itself',
};
