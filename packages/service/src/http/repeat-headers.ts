import { type Static, Type } from '@headrace/engine';

/** The headers of a request that a client may repeat without starting a second run. */
export const repeatHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Repeating the key within a day returns the same run' }),
  ),
});

export type RepeatHeaders = Static<typeof repeatHeaders>;
