/**
 * Writing batches to servers: encoding, requests, retries, deletes. For plugins.
 *
 * @module
 */
export {
  BatchBytes,
  Delivery,
  type DeliveryFailure,
  type Destination,
  FamilyDelivery,
  NO_ANSWER,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
export { DeletionMarks, type DeletionSettings, deletionSettings } from './deletion-marks.ts';
export { type DocumentKey, KeyedEncoder, keyedEncoderOptions } from './keyed-encoder.ts';
export { retriesOf } from './retries.ts';
