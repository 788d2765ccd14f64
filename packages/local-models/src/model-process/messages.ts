/** What a model needs to be opened. Its graph follows over the standard input of the process. */
export interface OpenRequest {
  readonly graphBytes: number;
  readonly threads: number;
  readonly device: string;
}

/** A batch: for each text `length` tokens. */
export interface RunRequest {
  readonly ids: BigInt64Array;
  readonly mask: BigInt64Array;
  readonly length: number;
  /** The possible names of the output. */
  readonly outputs: readonly string[];
}

/** The result of a batch: a vector for each token of each text. */
export interface TokenVectors {
  readonly values: Float32Array;
  /** The number of tokens of each text, with padding. */
  readonly length: number;
  /** The number of values of each vector. */
  readonly size: number;
}

/** To the process of a model. */
export type Request = { readonly id: number } & (
  | { readonly type: 'open'; readonly request: OpenRequest }
  | { readonly type: 'run'; readonly request: RunRequest }
);

/** From the process of a model, for the request with the same number. */
export type Answer = { readonly id: number } & (
  | { readonly type: 'opened' }
  | { readonly type: 'ran'; readonly vectors: TokenVectors }
  /** `reason` is `device` if the device cannot be used. */
  | { readonly type: 'failed'; readonly message: string; readonly reason?: 'device' }
);

/** From the thread that keeps the processes: the process has ended. */
export interface Ended {
  readonly type: 'ended';
  /** How it ended, such as "was ended by SIGKILL". */
  readonly how: string;
}
