import { HeadraceError, messageOf } from '@headrace/engine';

/** An error of the library. `errors` may be nested to any depth. */
interface LibraryError {
  readonly code?: unknown;
  readonly errors?: readonly unknown[];
  readonly canRetry?: boolean;
  readonly cause?: unknown;
  /** The error name of the Kafka protocol, such as `MESSAGE_TOO_LARGE`. */
  readonly apiId?: unknown;
}

/** Errors that a retry cannot fix: TLS errors, failed logins, and hosts that the policy does not allow. */
const REFUSED = /CERT|UNABLE_TO_|EPROTO|ERR_SSL_|PLT_KFK_(USER|AUTHENTICATION)|HR_POLICY_REFUSED/;

/** Returns true if a broker has answered with one of these error names. */
export function hasKafkaError(error: unknown, ...ids: readonly string[]): boolean {
  return leaves(error).some((leaf) => ids.includes(String((leaf as LibraryError).apiId)));
}

/** Returns true if a broker has refused a request because the user lacks a right. */
export function isForbidden(error: unknown): boolean {
  return hasKafkaError(
    error,
    'TOPIC_AUTHORIZATION_FAILED',
    'GROUP_AUTHORIZATION_FAILED',
    'CLUSTER_AUTHORIZATION_FAILED',
  );
}

/** Returns true if a retry may succeed: after network errors, a broker restart or a rebalance. */
export function isPassing(error: unknown): boolean {
  return leaves(error).every((leaf) => {
    const { code, canRetry, cause } = leaf as LibraryError;
    // A retry does not change a certificate or a policy.
    if (REFUSED.test(String((cause as LibraryError | undefined)?.code))) return false;
    return (
      code === 'PLT_KFK_NETWORK' || code === 'PLT_KFK_TIMEOUT' || (code === 'PLT_KFK_PROTOCOL' && canRetry === true)
    );
  });
}

/** The block of a config with the brokers and the topic: `kafka` for a connector, `kafkaTopic` for an indexer. */
export type KafkaBlock = 'kafka' | 'kafkaTopic';

/**
 * Converts an error of the library to the error to throw. The message has the brokers and each reason once.
 * @param block the block of the config that the hint names
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
        ? 'Other members of the group use another assignor: add CooperativeStickyAssignor to their partition.assignment.strategy.'
        : /Unknown topic/.test(text)
          ? `Check ${block}.topic: it must exist.`
          : isForbidden(error)
            ? `Give the user of ${properties} the missing right (ACL).`
            : `Check ${block}.bootstrapServers and ${block}.securityProtocol, and that the brokers are up.`,
  });
}

function leaves(error: unknown): unknown[] {
  const { errors } = error as LibraryError;
  return errors === undefined || errors.length === 0 ? [error] : errors.flatMap(leaves);
}
