/** The stages by purpose. `npm run docs` fails if a stage is in no group. */
export const STAGE_GROUPS = {
  Fields: [
    ...['CopyFields', 'RenameFields', 'DeleteFields', 'SetStaticValues', 'RemoveEmptyFields', 'DropValues'],
    ...['RemoveDuplicateValues', 'NormalizeFieldNames', 'Length', 'ComputeFieldSize', 'Timestamp'],
  ],
  Texts: [
    ...['Concatenate', 'SplitFieldValues', 'ApplyRegex', 'ReplacePatterns', 'Contains', 'TrimWhitespace'],
    ...['NormalizeText', 'RemoveDiacritics', 'TruncateField', 'CreateStaticTeaser', 'ExtractFirstCharacter'],
    ...['ChunkText', 'DetectLanguage', 'Base64Decode', 'ParseFilePath', 'Hash'],
  ],
  'Dates and numbers': ['ParseDate', 'FormatDate', 'ParseFloats'],
  'JSON, XML and HTML': ['ParseJson', 'ApplyJSONata', 'XPathExtractor', 'ApplyJSoup'],
  'Files and web pages': ['ApplyFileHandlers', 'FetchFileContent', 'FetchUri'],
  'Dictionaries and stored queries': ['DictionaryLookup', 'ExtractEntities', 'ExtractEntitiesFST', 'MatchQuery'],
  'Databases and search engines': ['QueryDatabase', 'ElasticsearchLookup', 'QueryOpensearch'],
  Models: ['OpenAIEmbed', 'PromptOllama'],
  Scripts: ['ApplyJavascript', 'EmbeddedPython', 'ExternalPython'],
  'Children and the way through the pipeline': [
    ...['EmitNestedChildren', 'CollapseChildrenDocuments', 'CreateChildrenStage', 'DropDocument', 'SkipDocument'],
    ...['HashFieldValueToBucket', 'Print'],
  ],
  'Test data': [
    ...['AddRandomBoolean', 'AddRandomDate', 'AddRandomDouble', 'AddRandomInt', 'AddRandomNestedField'],
    ...['AddRandomString', 'RandomVector'],
  ],
};
