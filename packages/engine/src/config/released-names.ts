/** A class that a release of Lucille renamed or replaced. */
export interface RenamedClass {
  readonly kind: 'connector' | 'stage';
  readonly from: string;
  readonly to: string;
  /** The last release with the old name. */
  readonly last: string;
  /** What else is different. */
  readonly note?: string;
}

/** How a value of an old name becomes one of the current name. */
export type Conversion =
  /** One text becomes a list with it. */
  | 'list'
  /** As `list`, for a local path. Other addresses were written differently and are refused. */
  | 'local-list'
  /** The lists source and dest become one object. */
  | 'field-mapping'
  /** The options of one cloud become the block of this cloud. */
  | 'cloud';

/** A name in a config that a release of Lucille changed. */
export interface RenamedParameter {
  /** `block`: a top-level block. `indexer` blocks are blocks too. */
  readonly kind: 'connector' | 'stage' | 'block';
  /** The current short name of the class, or the name of the block. */
  readonly component: string;
  /** The path of the old name inside the component. */
  readonly from: string;
  /** The path of the current name. Undefined: the name has no effect any more. */
  readonly to?: string;
  /** The last release that read the old name, or whose examples have it. */
  readonly last: string;
  readonly conversion?: Conversion;
  /** For a name without a successor: why it has no effect. */
  readonly why?: string;
  /** For a name without a successor that did something: what to do. The config is refused. */
  readonly instead?: string;
}

/** The classes that a release renamed or replaced. No release removed a class without a successor. */
export const RENAMED_CLASSES: readonly RenamedClass[] = [
  { kind: 'connector', from: 'VFSConnector', to: 'FileConnector', last: '0.5.2' },
  { kind: 'stage', from: 'ApplyJSONNata', to: 'ApplyJSONata', last: '0.5.4' },
  {
    kind: 'stage',
    from: 'AddRandomField',
    to: 'AddRandomString',
    last: '0.4.1',
    note: 'With input_data_path, all lines of the file are used: range_size selected some of them',
  },
];

/** The names in snake_case of each stage. Release 0.6.0 changed all of them to camelCase. */
const SNAKE_CASE: Readonly<Record<string, string>> = {
  AddRandomBoolean: 'field_name percent_true',
  AddRandomDate: 'field_name range_end_date range_start_date',
  AddRandomDouble: 'field_name range_end range_start',
  AddRandomInt: 'field_name range_end range_start',
  AddRandomNestedField: 'max_num_objects min_num_objects num_objects target_field',
  AddRandomString: 'field_name input_data_path is_nested max_num_of_terms min_num_of_terms range_size',
  ApplyJavascript: 'script_path',
  ApplyOCR: 'extract_all_dest extraction_templates pages_field path_field',
  ApplyRegex: 'ignore_case update_mode',
  Base64Decode: 'input_field output_field',
  ChunkText:
    'character_limit chunking_method chunks_to_merge chunks_to_overlap clean_chunks length_to_split overlap_percentage pre_merge_max_chunk_len pre_merge_min_chunk_len',
  Concatenate: 'default_inputs format_string update_mode',
  CopyFields: 'update_mode',
  CreateStaticTeaser: 'update_mode',
  DetectLanguage: 'language_confidence_field language_field max_length min_length min_probability update_mode',
  DictionaryLookup: 'dict_path ignore_case ignore_missing_source set_only update_mode use_any_match use_payloads',
  ElasticsearchLookup: 'update_mode',
  EmitNestedChildren: 'drop_parent fields_to_copy update_mode',
  ExtractEntities:
    'entity_field ignore_case ignore_overlaps only_whitespace_separated only_whole_words stop_on_hit update_mode use_payloads',
  ExtractEntitiesFST:
    'dicts_sorted entity_field ignore_case ignore_overlaps only_whole_words stop_on_hit update_mode use_payloads',
  FetchUri:
    'connect_timeout connection_request_timeout error_suffix initial_expiry_ms max_expiry_ms max_retries max_size size_suffix socket_timeout status_code_retry_list status_suffix',
  HashFieldValueToBucket: 'field_name',
  NormalizeText: 'update_mode',
  OpenAIEmbed: 'api_key embed_children embed_document model_name',
  ParseDate: 'format_strs time_zone_id update_mode',
  PromptOllama: 'update_mode',
  RandomVector: 'update_mode',
  RenameFields: 'update_mode',
  ReplacePatterns: 'ignore_case replacement_field update_mode',
  SetStaticValues: 'static_values update_mode',
  TextExtractor: 'byte_array_field file_path_field metadata_prefix text_content_limit text_field tika_config_path',
  Timestamp: 'dest_field',
  TruncateField: 'max_size',
};

const NEVER_READ = 'no release since 0.3.0 reads it';
const LIBRARY = 'the client of Pinecone no longer needs it';

/**
 * Every name that the releases 0.3.0 to 0.11.0 of Lucille changed, found by a comparison of the sources of all
 * releases. Validation and runs read the old names with a warning, config-info lists them, and the docs show this table.
 */
export const RENAMED_PARAMETERS: readonly RenamedParameter[] = [
  ...file('pathToStorage', 'paths', '0.5.5', 'list'),
  ...file('pathsToStorage', 'paths', '0.7.0'),
  ...file('vfsPath', 'paths', '0.5.2', 'local-list'),
  ...file('includes', 'filterOptions.includes', '0.5.3'),
  ...file('excludes', 'filterOptions.excludes', '0.5.3'),
  ...file('filterOptions.modificationCutoff', 'filterOptions.lastModifiedCutoff', '0.5.5'),
  ...file('cloudOptions', 's3, gcp or azure', '0.5.1', 'cloud'),
  ...['csv', 'json', 'jsonl', 'xml'].flatMap((type) => file(`fileOptions.${type}`, `fileHandlers.${type}`, '0.5.5')),
  {
    kind: 'connector',
    component: 'ParquetConnector',
    from: 'path',
    to: 'pathToStorage',
    last: '0.5.5',
  },
  ...['fs_uri', 'id_field', 's3_key', 's3_secret'].map((from): RenamedParameter => {
    return {
      kind: 'connector',
      component: 'ParquetConnector',
      from,
      to: camelCase(from),
      last: '0.5.10',
    };
  }),
  ...Object.entries(SNAKE_CASE).flatMap(([component, names]) =>
    names.split(' ').map((from): RenamedParameter => {
      return { kind: 'stage', component, from, to: camelCase(from), last: '0.5.10' };
    }),
  ),
  {
    ...{ kind: 'stage', component: 'CopyFields', from: 'source', to: 'fieldMapping', last: '0.5.7' },
    conversion: 'field-mapping',
  },
  {
    ...{ kind: 'stage', component: 'ApplyFileHandlers', from: 'handlerOptions', to: 'fileHandlers' },
    last: '0.5.5',
  },
  { kind: 'stage', component: 'Print', from: 'excludeFields', to: 'blacklist', last: '0.7.0' },
  ...(['blacklist', 'whitelist'] as const).flatMap((list): RenamedParameter[] => {
    const capital = `metadata${list[0]?.toUpperCase()}${list.slice(1)}`;
    return [
      { kind: 'stage', component: 'TextExtractor', from: `metadata_${list}`, to: list, last: '0.5.10' },
      { kind: 'stage', component: 'TextExtractor', from: capital, to: list, last: '0.7.0' },
    ];
  }),
  { kind: 'block', component: 'indexer', from: 'ignoreFields', to: 'blacklist', last: '0.7.0' },
  ...['environment', 'projectName', 'timeout'].map((from): RenamedParameter => {
    return { kind: 'block', component: 'pinecone', from, last: '0.3.0', why: LIBRARY };
  }),
  ...['addDeletionPrefix', 'deleteByPrefix'].map((from): RenamedParameter => {
    const instead = 'Delete by prefix with the stage EmitDocsToDeleteByPrefix.';
    return { kind: 'block', component: 'pinecone', from, last: '0.4.0', instead };
  }),
  ...['heartbeat', 'period'].map((from): RenamedParameter => {
    const why = 'runs report their progress themselves';
    return { kind: 'block', component: 'worker', from, last: '0.3.0', why };
  }),
  { kind: 'block', component: 'kafka', from: 'pollIntervalMs', last: '0.5.6', why: NEVER_READ },
  {
    ...{ kind: 'block', component: 'solr', from: 'useCloudClients', last: '0.5.6' },
    why: 'these releases accepted it, but read useCloudClient',
  },
];

function file(from: string, to: string, last: string, conversion?: Conversion): RenamedParameter[] {
  const rest = conversion === undefined ? {} : { conversion };
  return [{ kind: 'connector', component: 'FileConnector', from, to, last, ...rest }];
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the older names of the parameters of a component, for documentation. */
export function olderNamesOf(
  kind: 'connector' | 'stage' | 'indexer',
  name: string,
  block?: string,
): RenamedParameter[] {
  return RENAMED_PARAMETERS.filter((each) =>
    kind === 'indexer'
      ? each.kind === 'block' && each.component === block
      : each.kind === kind && each.component === name,
  );
}
