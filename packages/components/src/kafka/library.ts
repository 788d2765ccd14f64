import { loadLibrary } from '../libraries/optional-library.ts';

/** Loads the Kafka client. Throws `HR_LIBRARY_MISSING` if it is not installed. */
export function loadKafka(): Promise<typeof import('@platformatic/kafka')> {
  return loadLibrary('@platformatic/kafka');
}
