/**
 * Writing batches to servers: encoding, requests, retries, deletes. For plugins.
 *
 * @module
 */
export { BatchBytes, RequestSize } from '@headrace/engine';
export { DeletionMarks, type DeletionSettings, deletionSettings } from './deletion-marks.ts';
export { Delivery, type DeliveryFailure, type Destination, type Reply } from './delivery.ts';
export { FamilyDelivery } from './family-delivery.ts';
export { type DocumentKey, KeyedEncoder, keyedEncoderOptions } from './keyed-encoder.ts';
export { NO_ANSWER, type Retries, retriesOf } from './retries.ts';
