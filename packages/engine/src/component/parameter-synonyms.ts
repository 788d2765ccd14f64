import { nearest } from '../errors/nearest.ts';

/**
 * Names that mean the same in different components: what one calls `source` another calls `inputField`. A user who
 * knows one name tries it on other components.
 */
const GROUPS: readonly (readonly string[])[] = [
  [
    ...['source', 'sources', 'src', 'field', 'fields', 'fieldName', 'fieldNames', 'from', 'column', 'textField'],
    ...['input', 'inputField', 'inputFields', 'sourceField', 'sourceFields', 'stringField', 'xmlField', 'entityField'],
  ],
  [
    ...[
      'dest',
      'dests',
      'dst',
      'destination',
      'destinations',
      'destField',
      'destFields',
      'destinationField',
      'to',
      'as',
    ],
    ...['output', 'outputField', 'outputFields', 'target', 'targetField', 'resultField', 'destinationFields'],
  ],
  ['fieldMapping', 'fieldMappings', 'mapping', 'mappings', 'fieldMap', 'renames', 'rename'],
  ['regex', 'regexes', 'regexp', 'pattern', 'patterns', 'expression'],
  ['replacement', 'replaceWith', 'replace', 'nonAlphanumReplacement'],
  ['delimiter', 'separator', 'separatorChar', 'sep', 'splitOn'],
  ['formatString', 'format', 'formatStrs', 'template', 'dateFormat', 'formats'],
  [
    ...['path', 'paths', 'file', 'files', 'filePath', 'filePaths', 'fileName', 'filename', 'inputPath', 'outputFile'],
    ...['jsonPath', 'dictPath', 'scriptPath', 'inputDataPath', 'urlFiles', 'folder', 'directory'],
  ],
  [
    'url',
    'urls',
    'uri',
    'host',
    'hosts',
    'server',
    'endpoint',
    'hostURL',
    'baseUrl',
    'rssURL',
    'connectionString',
    'bootstrapServers',
  ],
  ['userName', 'username', 'user', 'jdbcUser', 'login'],
  ['password', 'pass', 'pwd', 'jdbcPassword'],
  ['apiKey', 'key', 'token', 'bearerToken'],
  ['modelName', 'model'],
  ['script', 'code', 'javascript', 'python'],
  ['sql', 'query', 'statement', 'queries'],
  ['idField', 'id', 'key', 'primaryKey', 'keyField', 'keyFields'],
  ['numDocs', 'count', 'limit', 'maxMessages', 'numChildren'],
  ['staticValues', 'values', 'value', 'set'],
  ['dictPath', 'dictionary', 'dictionaries', 'lookup', 'lookupFile'],
  ['timeZoneId', 'timezone', 'timeZone', 'zone'],
  ['kafka', 'kafkaTopic'],
];

const MEMBERS: readonly string[] = [...new Set(GROUPS.flat())];

/**
 * The parameter that has another name in other components, for a hint; undefined if none does. The other name may be
 * misspelt.
 * @param parameters those of the component that are not given yet, the likeliest first
 */
export function otherName(name: string, parameters: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const known = MEMBERS.find((member) => member.toLowerCase() === lower) ?? nearest(name, MEMBERS);
  if (known === undefined) return undefined;
  const same = GROUPS.filter((group) => group.includes(known)).flat();
  return parameters.find((parameter) => same.includes(parameter));
}
