import { createLogger, type LogRecord } from '../component/logger.ts';
import { reachConfig } from '../config/reach-config.ts';
import { rollbackConfig } from '../config/rollback-config.ts';
import { toFailure } from '../errors/headrace-error.ts';
import { hasErrors } from '../errors/problem.ts';
import { workForRun } from '../memory/thread-memory.ts';
import { enforcePolicyOf } from '../policy/current-policy.ts';
import { MessageGate } from '../transport/message-gate.ts';
import { SharedCounts } from './counters.ts';
import { DestinationLink } from './destination-link.ts';
import { firstNotices } from './first-notices.ts';
import type { IdleLanes } from './idle-lanes.ts';
import { SharedIndexing } from './indexing-statistics.ts';
import { preload } from './preload.ts';
import { preview } from './preview.ts';
import { logBlockedHosts } from './refused-hosts.ts';
import { runConfig } from './run-config.ts';
import type { RunPort } from './run-thread.ts';
import type { FromRun, ThreadData, ToRun } from './thread-messages.ts';
import { printed } from './thread-output.ts';

/**
 * Serves one run or one preview in the thread of a run, then lets the thread end.
 * @param port the port to the process
 * @param idle the pipeline threads that were started in advance
 */
export function serveRun(port: RunPort, data: ThreadData, idle: IdleLanes): void {
  const stop = new AbortController();
  /** What waits for the answers about groups of failures, in the order of the groups. */
  const storing: ((isStored: boolean) => void)[] = [];
  let destinations: DestinationLink | undefined;
  const post = (message: FromRun): void => port.postMessage(message);

  // Other threads wait for this one, so it never blocks.
  workForRun({ stopped: () => stop.signal.aborted, mayBlock: false });

  const handle = async (message: ToRun): Promise<void> => {
    switch (message.type) {
      case 'stop':
        stop.abort(message.reason);
        return;
      case 'failures-stored':
        storing.shift()?.(message.stored);
        return;
      case 'destinations':
        destinations?.receive(message.message);
        return;
      case 'end':
        await idle.close();
        await printed();
        post({ type: 'ended' });
        return;
      case 'preview': {
        enforcePolicyOf(message.request);
        // A preview needs no pipeline threads, and this thread may wait long for the next preview.
        const closed = idle.close();
        const result = await preview(message.request, message.maxComputeMillis, stop.signal);
        await closed;
        await printed();
        post({ type: 'previewed', result });
        return;
      }
      case 'reach': {
        enforcePolicyOf(message.request);
        const problems = await reachConfig(message.request, stop.signal);
        if (!hasErrors(problems)) problems.push(...(await firstNotices(message.request, stop.signal)));
        post({ type: 'reached', problems });
        return;
      }
      case 'rollback':
        enforcePolicyOf(message.request);
        post({ type: 'rolled-back', message: await rollbackConfig(message.request) });
        return;
      case 'run': {
        enforcePolicyOf(message.request);
        const logGate = new MessageGate(message.logGate);
        const logged = new Set<string>();
        const forwardLog = ({ once, ...record }: LogRecord) => {
          if (once !== undefined && logged.has(once)) return logGate.leave();
          if (once !== undefined) logged.add(once);
          post({ type: 'log', record });
        };
        const log = (record: LogRecord) => {
          logGate.enter();
          forwardLog(record);
        };
        logBlockedHosts(log);
        const runLog = createLogger('runner', log);
        destinations = new DestinationLink({
          signal: stop.signal,
          post: (question) => post({ type: 'destinations', message: question }),
          onWait: (text) => runLog.warn(text),
        });
        const result = await runConfig(message.request, {
          counts: new SharedCounts(message.counts),
          indexing: new SharedIndexing(message.indexing),
          idle,
          signal: stop.signal,
          destinations,
          log,
          forwardLog,
          logGate,
          onFailures: message.keepFailures
            ? (failures, weight) =>
                new Promise((resolve) => {
                  storing.push(resolve);
                  post({ type: 'failures', failures, weight });
                })
            : undefined,
          failureGate: new MessageGate(message.failureGate),
          onThread: (thread) => post({ type: 'thread', ...thread }),
          onStarting: (start) => post({ type: 'starting', start }),
          onLoaded: () => post({ type: 'loaded' }),
          onConnectors: (connectors, results) => post({ type: 'connectors', connectors, results }),
          onNotices: (notices) => post({ type: 'notices', notices }),
          onChecked: (facts) => post({ type: 'checked', facts }),
          onModules: (modules) => post({ type: 'modules', modules }),
        });
        await printed();
        post({ type: 'done', result });
      }
    }
  };
  port.on('message', (message: ToRun) => {
    handle(message).catch((error) => post({ type: 'crashed', failure: toFailure(error, 'HR_INTERNAL') }));
  });
  preload(data);
}
