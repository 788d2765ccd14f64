import { setTimeout } from 'node:timers/promises';
import { Connector, Type } from '@headrace/engine';

const parameters = Type.Object({
  /** How long to wait, in milliseconds. */
  duration: Type.Integer({ minimum: 0 }),
});

/** The maximum delay of one timer, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** Publishes nothing and waits: to test how connectors of a run follow one another. */
export class SleepConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;

  override async execute(): Promise<void> {
    const { signal } = this.context;
    for (let left = this.params.duration; left > 0 && !signal.aborted; left -= MAX_TIMER) {
      await setTimeout(Math.min(left, MAX_TIMER), undefined, { signal }).catch((error) => {
        // An abort ends the wait and is not an error.
        if (!signal.aborted) throw error;
      });
    }
  }
}
