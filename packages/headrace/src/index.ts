/**
 * What a module of custom components needs: `import { Stage, Type } from 'headrace'`.
 *
 * @module
 */
export {
  type Children,
  Connector,
  type ConnectorContext,
  Document,
  type DocumentEncoder,
  Double,
  double,
  type EncodedBatch,
  HeadraceError,
  Indexer,
  type IndexerContext,
  type IndexerSettings,
  type IndexFailure,
  type JsonObject,
  type Logger,
  MapOf,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  type Publisher,
  type RecordChunk,
  type RecordDecoder,
  type RecordSink,
  type RejectedRecord,
  Stage,
  type StageContext,
  type StageResult,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
