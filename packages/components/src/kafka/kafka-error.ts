import { HeadraceError, messageOf } from '@headrace/engine';

/** An error of the library: it may hold others, those that may hold others. */
interface LibraryError {
  readonly code?: unknown;
  readonly errors?: readonly unknown[];
  readonly canRetry?: boolean;
  /** What a broker calls it: `MESSAGE_TOO_LARGE`. */
  readonly apiId?: unknown;
}

/** Whether a broker has answered with one of these. */
export function hasKafkaError(error: unknown, ...ids: readonly string[]): boolean {
  return leaves(error).some((leaf) => ids.includes(String((leaf as LibraryError).apiId)));
}

/** Whether the same may succeed later: the network, a broker that restarts, a group that is being formed. */
export function isPassing(error: unknown): boolean {
  return leaves(error).every((leaf) => {
    const { code, canRetry } = leaf as LibraryError;
    return (
      code === 'PLT_KFK_NETWORK' || code === 'PLT_KFK_TIMEOUT' || (code === 'PLT_KFK_PROTOCOL' && canRetry === true)
    );
  });
}

/** The error to throw for one of the library: where, and all its reasons, each once. */
export function kafkaError(brokers: string, error: unknown): HeadraceError {
  if (error instanceof HeadraceError) return error;
  const reasons = new Set(leaves(error).map((leaf) => messageOf(leaf).replace(/\.$/, '')));
  const codes = new Set(leaves(error).map((leaf) => (leaf as LibraryError).code));
  const text = [...reasons].join('; ');
  return new HeadraceError('HR_SOURCE_UNREADABLE', `Kafka at ${brokers}: ${text}`, {
    hint: codes.has('PLT_KFK_AUTHENTICATION')
      ? 'Check kafka.securityProtocol and sasl.mechanism and sasl.jaas.config in kafka.consumer.'
      : /Unknown topic/.test(text)
        ? 'Check kafka.topic: it must exist.'
        : 'Check kafka.bootstrapServers and kafka.securityProtocol, and that the brokers are up.',
  });
}

function leaves(error: unknown): unknown[] {
  const { errors } = error as LibraryError;
  return errors === undefined || errors.length === 0 ? [error] : errors.flatMap(leaves);
}
