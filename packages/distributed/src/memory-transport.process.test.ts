import { randomUUID } from 'node:crypto';
import { defineTransportContract, registry, rootOf } from './transport-contract.test.lib.ts';

defineTransportContract('memory', () => ({
  deliversAgain: false,
  start: (launcher, config) => {
    const handle = launcher.start({ runId: randomUUID(), root: rootOf(config), registry, trusted: true });
    return {
      handle,
      close: async () => {
        handle.stop('CANCELLED');
        await handle.done;
      },
    };
  },
  close: async () => undefined,
}));
