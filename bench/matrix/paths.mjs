/** The index name of the bulk requests. */
export const INDEX = 'matrix';

/** The names of the source files by the form of the data. */
export const FILE_NAMES = { csv: 'data.csv', json: 'data.jsonl', nested: 'data.jsonl', xml: 'data.xml' };
