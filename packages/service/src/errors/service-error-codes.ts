interface ServiceError {
  status: number;
  meaning: string;
  advice: string;
}

/**
 * Every code with which the service itself refuses a request: the HTTP status that goes with it, what it means, and
 * what to do about it in general; the hint of a single refusal knows more. Problems in a config and failures of a run
 * carry the engine's codes instead.
 */
export const SERVICE_ERROR_CODES = {
  HR_REQUEST_INVALID: {
    status: 400,
    meaning: 'The request breaks the rules of its endpoint.',
    advice: 'Correct what the message names; `/swagger` shows what the endpoint takes.',
  },
  HR_REQUEST_EMPTY_BODY: {
    status: 400,
    meaning: 'The request needs a body and has none.',
    advice: 'Send the body, with its `Content-Type`.',
  },
  HR_REQUEST_MEDIA_TYPE: {
    status: 415,
    meaning: 'The endpoint does not take this content type, or the body is compressed.',
    advice: 'Send the body as it is, and the header `Content-Type` with a type that the message names.',
  },
  HR_REQUEST_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than the limit (`limits.maxConfigBytes`).',
    advice: 'Send a smaller body, or raise the setting that the hint names.',
  },
  HR_REQUEST_URL_TOO_LONG: {
    status: 414,
    meaning: 'A part of the URL is longer than any name can be.',
    advice: 'Correct the id: none is that long.',
  },
  HR_REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    meaning: 'The request line and the headers are larger, or the headers more, than the limit.',
    advice: 'Send fewer or shorter headers, or raise `limits.maxHeaders` or `limits.maxHeaderBytes`.',
  },
  HR_REQUEST_TIMEOUT: {
    status: 408,
    meaning: 'The request did not arrive whole in time.',
    advice:
      'Send the request again, faster; `limits.headersTimeoutSeconds` and `limits.requestTimeoutSeconds` are how long it may take.',
  },
  HR_NOT_FOUND: {
    status: 404,
    meaning: 'No endpoint has this path.',
    advice: 'Correct the path; `/openapi.json` lists the endpoints.',
  },
  HR_METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The endpoint does not take this method.',
    advice: 'Use a method of the header `Allow`.',
  },
  HR_UNAUTHORIZED: {
    status: 401,
    meaning: 'The request needs a user name and a password or a token, or they are wrong, or the token has expired.',
    advice: 'Send user name and password by basic authentication, or a token as `Authorization: Bearer`.',
  },
  HR_FORBIDDEN: {
    status: 403,
    meaning: 'The role of the user does not allow this.',
    advice: 'Ask as a user with the role that the message names, or give the user that role in the service file.',
  },
  HR_FOREIGN_HOST: {
    status: 403,
    meaning:
      'The service has no authentication, and the request names a host (`Host`) that is not a name of the service.',
    advice: 'Use `localhost` or the address of the service, or list the name in `server.allowedHosts`.',
  },
  HR_FOREIGN_ORIGIN: {
    status: 403,
    meaning: 'A web page of another origin (`Origin`, `Sec-Fetch-Site`) sent the request.',
    advice:
      'Send it from a program, or from a page of the service. If the page is one of the service at a proxy, list its host in `server.allowedHosts`.',
  },
  HR_TOO_MANY_FAILURES: {
    status: 429,
    meaning:
      'The login is wrong and too many wrong ones came from this address, or too many logins as this user wait for their turn.',
    advice:
      'Correct the password or token: the right one gets in at once. If the message says that logins wait, try again after the seconds of `Retry-After`.',
  },
  HR_CONFIG_REFUSED: {
    status: 400,
    meaning: 'The config cannot be read or resolved, or was to be valid and is not.',
    advice: 'Correct the `problems`; each has its place.',
  },
  HR_CONFIG_STORE_FULL: {
    status: 400,
    meaning: 'There are as many configs as may be (`limits.maxConfigs`).',
    advice: 'Delete configs that are not needed, or raise `limits.maxConfigs`.',
  },
  HR_CONFIG_NOT_FOUND: {
    status: 404,
    meaning: 'There is no config of this id.',
    advice: 'Take an id that `GET /v1/config` lists.',
  },
  HR_CONFIG_UNKNOWN: {
    status: 400,
    meaning: 'The config that the request names does not exist.',
    advice: 'Upload the config first, or take an id that `GET /v1/config` lists.',
  },
  HR_CONFIG_LOCKED: {
    status: 400,
    meaning: 'A run uses the config, and its runs are to refuse each other (`preventConcurrentRuns`, `overlap`).',
    advice: 'Wait for the run that the message names, or cancel it; or ask with `overlap: queue`.',
  },
  HR_CONFIG_IS_PRESET: {
    status: 409,
    meaning: 'The config belongs to a file: it cannot be written or overridden, and has no versions.',
    advice: 'Change the file, and start the service again; or upload it as a config.',
  },
  HR_CONFIG_NAME_TAKEN: {
    status: 409,
    meaning: 'Another config has this name.',
    advice: 'Replace that one (`PUT /v1/config/{name}`), or take another name.',
  },
  HR_CONFIG_CHANGED: {
    status: 412,
    meaning: 'The config is not in the state that `If-Match` or `If-None-Match` asks for: somebody was faster.',
    advice: 'Get it again, put the change into that, and send it with the new `ETag`.',
  },
  HR_CONFIG_TEXT_HIDDEN: {
    status: 409,
    meaning: 'The text of the config has secrets that cannot be masked where they stand.',
    advice: 'Use `GET /v1/config/{id}`, which shows the config without its comments.',
  },
  HR_CONFIG_READER_BUSY: {
    status: 429,
    meaning: 'As many large configs and bodies wait to be read as may wait.',
    advice: 'Try again after the seconds that `Retry-After` says.',
  },
  HR_RUN_NOT_FOUND: {
    status: 404,
    meaning: 'There is no run of this id.',
    advice: 'Take an id that `GET /v1/run` lists; the oldest finished runs are forgotten (`limits.maxRuns`).',
  },
  HR_RUN_FORGOTTEN: {
    status: 409,
    meaning: 'The request was sent before, and the run that it started is forgotten by now.',
    advice: 'Take a new `Idempotency-Key` to run it again, or raise `limits.maxRuns`.',
  },
  HR_REQUEST_KEY_REUSED: {
    status: 422,
    meaning: 'The `Idempotency-Key` came with another request within the last day.',
    advice: 'Take a new key for each request that is not a repetition.',
  },
  HR_RUN_IS_DONE: {
    status: 409,
    meaning: 'The run has ended already.',
    advice: 'Nothing: there is nothing left to cancel.',
  },
  HR_RUN_IS_GOING: {
    status: 409,
    meaning: 'The run has not ended yet.',
    advice: 'Wait for its end, or cancel it.',
  },
  HR_RETRY_NOTHING: {
    status: 409,
    meaning: 'The run has no failed documents that could be run again.',
    advice:
      'Nothing, if none failed. Else look at `GET /v1/run/{id}/failures`: `omitted` says why there is no document; run the config again.',
  },
  HR_RETRY_CONFIG: {
    status: 409,
    meaning: 'The config is not kept as the run had it.',
    advice: 'Say with which config to run the failed documents, as it is now: `{"configId": "..."}`.',
  },
  HR_RUN_QUEUE_FULL: {
    status: 429,
    meaning: 'As many runs wait as may wait (`limits.maxQueuedRuns`), or their configs are too large together.',
    advice:
      'Try again after the seconds that `Retry-After` says, or raise `limits.maxQueuedRuns` or `limits.maxConcurrentRuns`.',
  },
  HR_TOO_MANY_STREAMS: {
    status: 429,
    meaning: 'The user, or the run, has as many open event streams as the limits allow.',
    advice:
      'Close streams that nobody reads, or raise `limits.maxStreamsPerUser` or `limits.maxStreamsPerRun`. `GET /v1/run/{id}` tells how far a run is without a stream.',
  },
  HR_PREVIEW_BUSY: {
    status: 429,
    meaning: 'As many previews, and attempts to connect, are going on as may at one time.',
    advice: 'Try again after the seconds that `Retry-After` says.',
  },
  HR_PREVIEW_FAILED: {
    status: 422,
    meaning: 'The preview, or the attempt to connect, could not be finished.',
    advice: 'The message tells the reason; ask for fewer documents if it was the time or the memory.',
  },
  HR_NOT_READY: {
    status: 503,
    meaning: 'The service cannot do its work at present.',
    advice: 'Wait, or see to the checks that fail; the answer names them.',
  },
  HR_STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'The store cannot be written.',
    advice:
      'Make room on the disk, give the service its rights back, or put the files of the store back; it tries again by itself.',
  },
  HR_SERVER_BUSY: {
    status: 503,
    meaning: 'The bodies of the requests that are being taken have more than 256 MiB together.',
    advice: 'Try again after the seconds that `Retry-After` says.',
  },
  HR_SHUTTING_DOWN: {
    status: 503,
    meaning: 'The service is shutting down and starts nothing.',
    advice: 'Try again when the service is back.',
  },
  HR_SERVER_ERROR: {
    status: 500,
    meaning: 'A bug in Headrace.',
    advice: 'Report it, with what the log says at that time.',
  },
} as const satisfies Readonly<Record<string, ServiceError>>;

export type ServiceErrorCode = keyof typeof SERVICE_ERROR_CODES;
