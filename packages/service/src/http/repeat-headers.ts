import { Type } from '@headrace/engine';

/** The headers of a request that a client may repeat without starting a second run. */
export const repeatHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'If the same user sends the request again within a day with this key, the answer is the first run, also after a restart. A different request with the key gets 422',
    }),
  ),
});
