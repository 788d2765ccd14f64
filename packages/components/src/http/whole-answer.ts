import type { MemoryHold } from '@headrace/engine';
import type { Dispatcher } from 'undici';

/** An answer with its complete body, as it was sent. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/**
 * Sends a request and collects the answer. The `request` of the library creates a stream for each answer, which takes
 * two thirds of the time of a small request.
 * @param maxBytes the maximum length of the body; above it, the promise rejects with the result of `tooLong`
 * @param memory counts the body; the connection pauses while there is not enough
 * @param broken converts an error after the answer has begun
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  maxBytes: number,
  memory: MemoryHold | undefined,
  tooLong: () => Error,
  broken: (error: unknown) => Error,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let answer: Pick<WholeAnswer, 'status' | 'headers'> | undefined;
    const pieces: Buffer[] = [];
    let length = 0;
    dispatcher.dispatch(options, {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        // Informational answers precede the answer.
        if (status >= 200) answer = { status, headers };
      },
      onResponseData(controller, piece) {
        length += piece.length;
        if (length > maxBytes) {
          controller.abort(tooLong());
          return;
        }
        pieces.push(piece);
        try {
          const waiting = memory?.take(piece.length);
          if (waiting === undefined) return;
          controller.pause();
          waiting.then(
            () => controller.resume(),
            (error) => controller.abort(error as Error),
          );
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onResponseEnd() {
        const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        pieces.length = 0;
        if (answer !== undefined) resolve({ ...answer, body });
      },
      onResponseError(_controller, error) {
        // The library keeps the last request of each connection, and with it this list.
        pieces.length = 0;
        reject(answer === undefined ? error : broken(error));
      },
    });
  });
}
