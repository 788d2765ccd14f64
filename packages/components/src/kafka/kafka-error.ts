import { HeadraceError, messageOf } from '@headrace/engine';

/** An error of the library: it may hold others, those that may hold others. */
interface LibraryError {
  readonly code?: unknown;
  readonly errors?: readonly unknown[];
  readonly canRetry?: boolean;
  readonly cause?: unknown;
  /** What a broker calls it: `MESSAGE_TOO_LARGE`. */
  readonly apiId?: unknown;
}

/** Codes of TLS connections and logins that fail whenever they are tried, and of hosts that the policy does not allow. */
const REFUSED = /CERT|UNABLE_TO_|EPROTO|ERR_SSL_|PLT_KFK_(USER|AUTHENTICATION)|HR_POLICY_REFUSED/;

/** Whether a broker has answered with one of these. */
export function hasKafkaError(error: unknown, ...ids: readonly string[]): boolean {
  return leaves(error).some((leaf) => ids.includes(String((leaf as LibraryError).apiId)));
}

/** Whether the same may succeed later: the network, a broker that restarts, a group that is being formed. */
export function isPassing(error: unknown): boolean {
  return leaves(error).every((leaf) => {
    const { code, canRetry, cause } = leaf as LibraryError;
    // A certificate stays as it is, and so does a policy.
    if (REFUSED.test(String((cause as LibraryError | undefined)?.code))) return false;
    return (
      code === 'PLT_KFK_NETWORK' || code === 'PLT_KFK_TIMEOUT' || (code === 'PLT_KFK_PROTOCOL' && canRetry === true)
    );
  });
}

/** The block of a config that says which topic: that of a connector, or of an indexer. */
export type KafkaBlock = 'kafka' | 'kafkaTopic';

/**
 * The error to throw for one of the library: where, and all its reasons, each once.
 * @param block whose parameters the hint names
 */
export function kafkaError(brokers: string, error: unknown, block: KafkaBlock = 'kafka'): HeadraceError {
  if (error instanceof HeadraceError) return error;
  const reasons = new Set(leaves(error).map((leaf) => messageOf(leaf).replace(/\.$/, '')));
  const codes = new Set(
    leaves(error).flatMap((leaf) => {
      const { code, cause } = leaf as LibraryError;
      return [code, (cause as LibraryError | undefined)?.code];
    }),
  );
  const text = [...reasons].join('; ');
  const properties = `${block}.${block === 'kafka' ? 'consumer' : 'producer'}`;
  return new HeadraceError('HR_SOURCE_UNREADABLE', `Kafka at ${brokers}: ${text}`, {
    hint: codes.has('PLT_KFK_AUTHENTICATION')
      ? `Check ${block}.securityProtocol and sasl.mechanism and sasl.jaas.config in ${properties}.`
      : hasKafkaError(error, 'INCONSISTENT_GROUP_PROTOCOL')
        ? 'Other members of the group share partitions in another way: add CooperativeStickyAssignor to their partition.assignment.strategy.'
        : /Unknown topic/.test(text)
          ? `Check ${block}.topic: it must exist.`
          : `Check ${block}.bootstrapServers and ${block}.securityProtocol, and that the brokers are up.`,
  });
}

function leaves(error: unknown): unknown[] {
  const { errors } = error as LibraryError;
  return errors === undefined || errors.length === 0 ? [error] : errors.flatMap(leaves);
}
