import type { RunStatus } from '../api/types.ts';
import type { IconName } from './icons.ts';

/** How a state of a run is shown. `tone` is the name of a colour. */
export interface StatusLook {
  readonly label: string;
  readonly icon: IconName;
  /** The state in the title of the browser tab. */
  readonly mark: string;
  readonly tone: 'running' | 'succeeded' | 'failed' | 'warning' | 'cancelled';
}

const LOOKS: Readonly<Record<RunStatus, StatusLook>> = {
  QUEUED: { label: 'Queued', icon: 'clock', mark: '◷', tone: 'cancelled' },
  RUNNING: { label: 'Running', icon: 'play', mark: '▶', tone: 'running' },
  STOPPING: { label: 'Stopping', icon: 'stop', mark: '■', tone: 'running' },
  SUCCEEDED: { label: 'Succeeded', icon: 'check', mark: '✓', tone: 'succeeded' },
  FAILED: { label: 'Failed', icon: 'cross', mark: '✗', tone: 'failed' },
  CANCELLED: { label: 'Cancelled', icon: 'cancelled', mark: '⊘', tone: 'cancelled' },
  INTERRUPTED: { label: 'Interrupted', icon: 'bolt', mark: '⚡', tone: 'warning' },
};

/** Returns how to show a state. A run that succeeded with failed documents is shown as a warning. */
export function statusLook(status: RunStatus, failed = 0): StatusLook {
  if (status === 'SUCCEEDED' && failed > 0)
    return { label: 'Succeeded with failures', icon: 'warning', mark: '⚠', tone: 'warning' };
  return LOOKS[status];
}
