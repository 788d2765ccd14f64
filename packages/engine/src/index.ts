export { Decoders, decodeChecked } from './batch/decoders.ts';
export type { ReportProblem } from './component/access-check.ts';
export { BatchLoader } from './component/batch-loader.ts';
export {
  type CatalogEntry,
  type ClassComment,
  type ComponentKind,
  describeModule,
  ownFields,
} from './component/catalog.ts';
export { catalogText, readCatalog } from './component/catalog-file.ts';
export { commonParameters } from './component/common-parameters.ts';
export {
  type ChunkOutcome,
  Connector,
  type ConnectorClass,
  type ConnectorContext,
  type ConnectorEnd,
  type FailedInChunk,
  type ModuleReference,
  type Publisher,
  type RecordChunk,
  type RecordDecoder,
  type RecordNotice,
  type RecordSink,
  type RejectedRecord,
  type TrackedChunk,
} from './component/connector.ts';
export { type Given, withDefaults } from './component/defaults.ts';
export type {
  DestinationAccess,
  Journal,
  OtherWriters,
  Output,
  RebuildPass,
  WriterPass,
} from './component/destination.ts';
export { parseDuration } from './component/duration.ts';
export { BATCH_SETTINGS, ignoredSettings, SEARCH_ENGINE_SETTINGS } from './component/ignored-settings.ts';
export {
  type CheckResult,
  type Confirmation,
  type DocumentEncoder,
  type EncodedBatch,
  type FinishedDocuments,
  type FinishedOutput,
  Indexer,
  type IndexerClass,
  type IndexerContext,
  type IndexFailure,
  type LaterAnswer,
  type RunOutcome,
  type SendAnswer,
} from './component/indexer.ts';
export { type IndexerSettings, indexerSettings } from './component/indexer-settings.ts';
export { createLogger, type Logger, type LogLevel, type LogRecord } from './component/logger.ts';
export { MAX_MILLIS } from './component/max-millis.ts';
export {
  checkNested,
  checkNestedStage,
  type DescribesParameters,
  type NestedParameters,
} from './component/nested-stage.ts';
export { checkParameters, type ParameterProblem, type TouchedFile } from './component/parameters.ts';
export { findPluginClass, missingPlugin, pluginClassNames, pluginPackages } from './component/plugin-classes.ts';
export { loadPluginExport } from './component/plugin-exports.ts';
export { PublisherCalls } from './component/published.ts';
export { Registry, type RegistrySource } from './component/registry.ts';
export {
  type ClassChoices,
  COERCED,
  CONNECTS,
  capped,
  clamped,
  FLAT,
  MapOf,
  OneOf,
  QUERIES,
  READS,
  type Static,
  type TObject,
  type TSchema,
  Type,
  UpdateModeParameter,
  WRITES,
} from './component/schema.ts';
export { plainType, type SpecField, type SpecType, specFields } from './component/spec.ts';
export { type Children, Stage, type StageClass, type StageContext, type StageResult } from './component/stage.ts';
export { accessHint } from './config/access-error.ts';
export { type AccessCheckRequest, checkConfigAccess } from './config/check-access.ts';
export { checkConfig } from './config/check-config.ts';
export { writesToStandardOutput } from './config/check-indexer.ts';
export { maskedSecrets } from './config/check-masked.ts';
export { wholeRunParameter } from './config/check-outputs.ts';
export { configSchema } from './config/config-schema.ts';
export { currentNames } from './config/current-names.ts';
export { engineBlocks, type WorkerSettings } from './config/engine-blocks.ts';
export { readHoconBody } from './config/hocon-body.ts';
export type { IngestConfig } from './config/ingest-config.ts';
export type { KafkaBlock } from './config/kafka-block.ts';
export { type KeptSecrets, keepSecrets } from './config/keep-secrets.ts';
export {
  type ExpectedFailure,
  type PipelineTest,
  readPipelineTests,
  TEST_FILE,
  TESTS,
} from './config/pipeline-tests.ts';
export { type ReadConfig, type ReadConfigOptions, readConfigFile, readConfigText } from './config/read-config.ts';
export { olderNamesOf, RENAMED_CLASSES, RENAMED_PARAMETERS, type RenamedParameter } from './config/released-names.ts';
export { configToJson, maskSecrets, maskTexts, secretTexts } from './config/render-config.ts';
export type { RollbackRequest } from './config/rollback-config.ts';
export { SecretMask } from './config/secret-mask.ts';
export { isSecretKey, type Secrecy, secrecyOf } from './config/secret-names.ts';
export { MASK, maskText } from './config/secret-parts.ts';
export {
  CONNECTOR_COUNTERS,
  type Counter,
  type Counts,
  INDEXER_COUNTERS,
  namesOf,
  noCounts,
  OUTCOME_COUNTERS,
  RUN_COUNTERS,
  STAGE_COUNTERS,
} from './counters/counters.ts';
export { ByShape } from './document/by-shape.ts';
export { Document, type UpdateMode } from './document/document.ts';
export { DocumentTable } from './document/document-table.ts';
export { JsonObjectReader } from './document/json-object-reader.ts';
export { JsonSyntaxError, jsonErrorOf, readJson, readJsonSequence, readNonFiniteJson } from './document/json-reader.ts';
export { writeDocument, writeString, writeValue } from './document/json-writer.ts';
export { type Column, LazyColumn } from './document/lazy-column.ts';
export { checkWritable, internName, isInterned, RESERVED_FIELDS } from './document/names.ts';
export {
  getNested,
  type NestedPath,
  nestedValue,
  parseNestedPath,
  removeNested,
  setNested,
} from './document/nested-path.ts';
export { doubleText, integerText, widenFloat } from './document/number-text.ts';
export { parseJson } from './document/plain-json.ts';
export { readDocument } from './document/read-document.ts';
export { Shape } from './document/shape.ts';
export { isPlainText, SourceText } from './document/source-text.ts';
export { mapColumn, type Results, updateColumn } from './document/update-column.ts';
export {
  base64,
  copyValue,
  Double,
  distinctValues,
  double,
  equalValues,
  integer,
  type JsonObject,
  textOf,
  toValue,
  type Value,
} from './document/value.ts';
export { contractError, kindOf } from './errors/contract-error.ts';
export { counted } from './errors/counted.ts';
export { ERROR_ADVICE } from './errors/error-advice.ts';
export { ERROR_CODES, type ErrorCode } from './errors/error-codes.ts';
export { type Failure, HeadraceError, messageOf, toFailure } from './errors/headrace-error.ts';
export { nearest } from './errors/nearest.ts';
export { formatProblem, hasErrors, inTextOrder, type Problem, withHint } from './errors/problem.ts';
export { runGuarded } from './execution/guard.ts';
export { type ChildTrace, type StageTrace, traceJson } from './execution/stage-trace.ts';
export { withoutDocument, writeFailureLine } from './failures/failure-line.ts';
export {
  type FailedDocument,
  type KeptDocument,
  type KeptFailure,
  MAX_KEPT_FAILURES,
} from './failures/kept-failure.ts';
export { type Family, splitFamilies } from './families/split-families.ts';
export { joinedText, requireHeap } from './memory/heap-space.ts';
export { defaultMemoryMb, machineBytes } from './memory/machine-memory.ts';
export type { MemoryHold } from './memory/memory-hold.ts';
export { holdMemory, isMemoryError, maxValueBytes, memoryOf } from './memory/thread-memory.ts';
export { unknownNotice } from './notices/check-notice.ts';
export {
  type Notice,
  type NoticeDetails,
  type NoticeExample,
  type NoticeSource,
  type Notices,
  silentNotices,
} from './notices/notice.ts';
export { NoticeCollector } from './notices/notice-collector.ts';
export {
  type CustomNoticeCode,
  classOfNotice,
  isCustomNotice,
  NOTICE_CLASSES,
  NOTICES,
  type NoticeClass,
  type NoticeCode,
} from './notices/notice-table.ts';
export {
  allowedMillis,
  allowedPath,
  allowedRunSecs,
  enforcePolicy,
  isRestricted,
  mayComputeWithoutEnd,
  missingBoundaryProblem,
  requireAllowedHost,
  requiredBoundary,
  requireNothingHidden,
  requireReadOnly,
} from './policy/current-policy.ts';
export { parseHostPattern } from './policy/host-pattern.ts';
export {
  DEFAULT_POLICY,
  describePolicy,
  type Policy,
  type ScriptBoundary,
  STRICT_POLICY,
  type UsableBoundary,
} from './policy/policy.ts';
export { POLICY_LIMITS, type PolicyLimits } from './policy/policy-limits.ts';
export { POLICY_HINT } from './policy/policy-rules.ts';
export { type DocumentCounts, noDocuments, pendingDocuments } from './run/counters.ts';
export type { IndexingProgress } from './run/indexing-statistics.ts';
export type {
  PreviewedDocument,
  PreviewLogLine,
  PreviewRequest,
  PreviewResult,
  RunHandle,
  RunListeners,
  RunProgress,
  RunRequest,
} from './run/run-request.ts';
export type { ConnectorResult, RunResult } from './run/run-result.ts';
export { isFinal, mayBecome, type RunState } from './run/run-state.ts';
export { runSummary } from './run/run-summary.ts';
export type { StageProgress } from './run/stage-statistics.ts';
export { ChildProgram, type ProgramEnd, type ProgramOptions } from './threads/child-program.ts';
export type { Confinement } from './threads/confinement.ts';
export { HelperProcess } from './threads/helper-process.ts';
export { programMounts } from './threads/module-mounts.ts';
export { decodeList, encodeList, type WireValue } from './transport/document-wire.ts';
export { release } from './transport/release.ts';
export { BatchBytes } from './writing/batch-bytes.ts';
export { Delivery, type DeliveryFailure, type Destination, type Reply } from './writing/delivery.ts';
export { FamilyDelivery } from './writing/family-delivery.ts';
export { KeyOrder } from './writing/key-order.ts';
export { RequestSize } from './writing/request-size.ts';
export { NO_ANSWER, type Retries } from './writing/retries.ts';
export { isTransient } from './writing/transient-status.ts';
