import { nearest } from '../errors/nearest.ts';

/**
 * Groups of parameter names with the same meaning in different components: one component uses `source`, another
 * `inputField`. A user who knows one of the names tries it on other components.
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
 * Returns the parameter that an unknown name means, if other components use that name for it. Accepts misspelt names.
 * Returns undefined if there is no such parameter.
 * @param parameters the parameters of the component that are not set yet, the most likely first
 */
export function otherName(name: string, parameters: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const known = MEMBERS.find((member) => member.toLowerCase() === lower) ?? nearest(name, MEMBERS);
  if (known === undefined) return undefined;
  const same = GROUPS.filter((group) => group.includes(known)).flat();
  return parameters.find((parameter) => same.includes(parameter));
}
