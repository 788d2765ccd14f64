import type { LogRecord } from '../component/logger.ts';
import { tellRefusals } from '../policy/network-guard.ts';

/** Hosts that a thread names; documents may name any number of them. */
const MAX_TOLD = 100;

/**
 * Warns of each host that the policy keeps this thread from, once for a host: stages write to their documents what
 * became of a request, and who watches the run would not see it.
 */
export function logRefusals(write: (record: LogRecord) => void): void {
  const told = new Set<string>();
  tellRefusals((what, { message }) => {
    if (told.size > MAX_TOLD || told.has(what)) return;
    told.add(what);
    const last = told.size > MAX_TOLD;
    write({
      level: 'warn',
      time: Date.now(),
      logger: 'policy',
      message: last ? 'Further hosts are refused without being named here' : message,
      once: last ? '' : what,
    });
  });
}
