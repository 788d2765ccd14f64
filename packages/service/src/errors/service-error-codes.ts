/**
 * Every code with which the service itself refuses a request: the HTTP status that goes with it, and what it means.
 * Problems in a config and failures of a run carry the engine's codes instead.
 */
export const SERVICE_ERROR_CODES = {
  HR_REQUEST_INVALID: { status: 400, meaning: 'The request breaks the rules of its endpoint.' },
  HR_REQUEST_EMPTY_BODY: { status: 400, meaning: 'The request needs a body and has none.' },
  HR_REQUEST_MEDIA_TYPE: { status: 415, meaning: 'The endpoint does not take this content type.' },
  HR_REQUEST_TOO_LARGE: { status: 413, meaning: 'The body is larger than the limit (`limits.maxConfigBytes`).' },
  HR_REQUEST_URL_TOO_LONG: { status: 414, meaning: 'A part of the URL is longer than any name can be.' },
  HR_REQUEST_HEADERS_TOO_LARGE: { status: 431, meaning: 'The request line and the headers are larger than the limit.' },
  HR_REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive whole in time.' },
  HR_NOT_FOUND: { status: 404, meaning: 'No endpoint has this path.' },
  HR_METHOD_NOT_ALLOWED: { status: 405, meaning: 'The endpoint does not take this method.' },
  HR_UNAUTHORIZED: { status: 401, meaning: 'The request needs a user name and a password, or they are wrong.' },
  HR_FORBIDDEN: { status: 403, meaning: 'The role of the user does not allow this.' },
  HR_TOO_MANY_FAILURES: { status: 429, meaning: 'Too many failed logins from this address are waiting.' },
  HR_CONFIG_REFUSED: { status: 400, meaning: 'The config cannot be read or resolved, or was to be valid and is not.' },
  HR_CONFIG_STORE_FULL: { status: 400, meaning: 'There are as many configs as may be (`limits.maxConfigs`).' },
  HR_CONFIG_NOT_FOUND: { status: 404, meaning: 'There is no config of this id.' },
  HR_CONFIG_UNKNOWN: { status: 400, meaning: 'The config that the request names does not exist.' },
  HR_CONFIG_LOCKED: { status: 400, meaning: 'A run uses the config, and `preventConcurrentRuns` is on.' },
  HR_CONFIG_IS_PRESET: { status: 409, meaning: 'The config belongs to a file of the preset directory.' },
  HR_CONFIG_READER_BUSY: { status: 429, meaning: 'As many large configs wait to be read as may wait.' },
  HR_RUN_NOT_FOUND: { status: 404, meaning: 'There is no run of this id.' },
  HR_RUN_IS_DONE: { status: 409, meaning: 'The run has ended already.' },
  HR_RUN_QUEUE_FULL: { status: 429, meaning: 'As many runs wait as may wait (`limits.maxQueuedRuns`).' },
  HR_PREVIEW_BUSY: { status: 429, meaning: 'As many previews are going on as may at one time.' },
  HR_PREVIEW_FAILED: { status: 422, meaning: 'The preview could not be finished.' },
  HR_NOT_READY: { status: 503, meaning: 'The service cannot do its work at present.' },
  HR_STORE_UNAVAILABLE: { status: 503, meaning: 'The store cannot be written.' },
  HR_SHUTTING_DOWN: { status: 503, meaning: 'The service is shutting down and starts nothing.' },
  HR_SERVER_ERROR: { status: 500, meaning: 'A bug in Headrace. Please report it, with the log.' },
} as const;

export type ServiceErrorCode = keyof typeof SERVICE_ERROR_CODES;
