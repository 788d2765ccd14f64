import type { LogRecord } from '../component/logger.ts';
import { onBlockedAccess } from '../policy/network-guard.ts';

/** The maximum number of hosts that a thread logs, because documents can name any number of hosts. */
const MAX_NAMED = 100;

/**
 * Logs one warning for each host that the policy refuses. Without it, users who watch the run would not see the
 * refusal, because stages only store the failure of a request in their documents.
 */
export function logBlockedHosts(write: (record: LogRecord) => void): void {
  const named = new Set<string>();
  onBlockedAccess((what, { message }) => {
    if (named.size > MAX_NAMED || named.has(what)) return;
    named.add(what);
    const last = named.size > MAX_NAMED;
    write({
      level: 'warn',
      time: Date.now(),
      logger: 'policy',
      message: last ? 'More hosts were refused. They are not logged' : message,
      once: last ? '' : what,
    });
  });
}
