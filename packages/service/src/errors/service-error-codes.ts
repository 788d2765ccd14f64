interface ServiceError {
  status: number;
  meaning: string;
  advice: string;
}

/**
 * The codes with which the service itself refuses a request: HTTP status, meaning, and general advice. The hint in the
 * answer is more specific. Problems of a config and failures of a run have codes of the engine instead.
 */
export const SERVICE_ERROR_CODES = {
  HR_REQUEST_INVALID: {
    status: 400,
    meaning: 'The request does not match the schema of its endpoint.',
    advice: 'Correct what the message names; `/swagger` documents the endpoint.',
  },
  HR_REQUEST_EMPTY_BODY: {
    status: 400,
    meaning: 'The request needs a body and has none.',
    advice: 'Send the body, with its `Content-Type`.',
  },
  HR_REQUEST_MEDIA_TYPE: {
    status: 415,
    meaning: 'The endpoint does not accept this content type, or the body is compressed.',
    advice: 'Send the body uncompressed, with a `Content-Type` that the message names.',
  },
  HR_REQUEST_TOO_LARGE: {
    status: 413,
    meaning: 'The body is larger than the limit (`limits.maxConfigBytes`).',
    advice: 'Send a smaller body, or raise the setting that the hint names.',
  },
  HR_REQUEST_URL_TOO_LONG: {
    status: 414,
    meaning: 'A part of the URL is longer than any id or name.',
    advice: 'Correct the id.',
  },
  HR_REQUEST_HEADERS_TOO_LARGE: {
    status: 431,
    meaning: 'The request line and headers are too large, or there are too many headers.',
    advice: 'Send fewer or shorter headers, or raise `limits.maxHeaders` or `limits.maxHeaderBytes`.',
  },
  HR_REQUEST_TIMEOUT: {
    status: 408,
    meaning: 'The request did not arrive completely in time.',
    advice:
      'Send the request again over a faster connection, or raise `limits.headersTimeoutSeconds` or `limits.requestTimeoutSeconds`.',
  },
  HR_NOT_FOUND: {
    status: 404,
    meaning: 'No endpoint has this path.',
    advice: 'Correct the path; `/openapi.json` lists the endpoints.',
  },
  HR_METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The endpoint does not support this method.',
    advice: 'Use a method from the `Allow` header.',
  },
  HR_UNAUTHORIZED: {
    status: 401,
    meaning: 'The request has no user name and password or token, or they are wrong, or the token has expired.',
    advice: 'Send user name and password by basic authentication, or a token as `Authorization: Bearer`.',
  },
  HR_FORBIDDEN: {
    status: 403,
    meaning: 'The role of the user does not allow this.',
    advice: 'Use a user with the role that the message names, or give the user that role in the service file.',
  },
  HR_FOREIGN_HOST: {
    status: 403,
    meaning: 'The service has no authentication, and the `Host` header of the request is not a name of the service.',
    advice: 'Use `localhost` or the address of the service, or list the name in `server.allowedHosts`.',
  },
  HR_FOREIGN_ORIGIN: {
    status: 403,
    meaning: 'A web page of another origin (`Origin`, `Sec-Fetch-Site`) sent the request.',
    advice:
      'Send it from a program, or from a page of the service. If the service is behind a proxy, list the host of its pages in `server.allowedHosts`.',
  },
  HR_TOO_MANY_FAILURES: {
    status: 429,
    meaning:
      'The login is wrong and the address has sent too many wrong logins, or too many logins of this user are waiting to be checked.',
    advice:
      'Correct the password or token: a correct one is accepted immediately. If the message says that logins wait, try again after the seconds of `Retry-After`.',
  },
  HR_CONFIG_REFUSED: {
    status: 400,
    meaning: 'The config cannot be read or resolved, or it has errors and the request asks for a valid one.',
    advice: 'Correct the `problems`; each gives its place in the text.',
  },
  HR_CONFIG_STORE_FULL: {
    status: 400,
    meaning: 'The store holds the maximum number of configs (`limits.maxConfigs`).',
    advice: 'Delete configs that are not needed, or raise `limits.maxConfigs`.',
  },
  HR_CONFIG_NOT_FOUND: {
    status: 404,
    meaning: 'There is no config with this id.',
    advice: 'Use an id that `GET /v1/config` lists.',
  },
  HR_CONFIG_UNKNOWN: {
    status: 400,
    meaning: 'The config that the request names does not exist.',
    advice: 'Upload the config first, or use an id that `GET /v1/config` lists.',
  },
  HR_CONFIG_LOCKED: {
    status: 400,
    meaning: 'Another run uses the config, and concurrent runs of it are refused (`preventConcurrentRuns`, `overlap`).',
    advice: 'Wait for the run that the message names, or cancel it; or send `overlap: queue`.',
  },
  HR_CONFIG_IS_PRESET: {
    status: 409,
    meaning: 'The config is a preset, defined by a file: it cannot be written or overridden, and has no versions.',
    advice: 'Change the file and restart the service, or upload the file as a config.',
  },
  HR_CONFIG_NAME_TAKEN: {
    status: 409,
    meaning: 'Another config has this name.',
    advice: 'Replace that config (`PUT /v1/config/{name}`), or use another name.',
  },
  HR_CONFIG_CHANGED: {
    status: 412,
    meaning:
      'The config is not in the state that `If-Match` or `If-None-Match` requires: another request has changed it.',
    advice: 'Get the config again, apply your change to it, and send it with the new `ETag`.',
  },
  HR_CONFIG_TEXT_HIDDEN: {
    status: 409,
    meaning: 'The text of the config has secrets that cannot be masked in place.',
    advice: 'Use `GET /v1/config/{id}`, which shows the config without its comments.',
  },
  HR_CONFIG_READER_BUSY: {
    status: 429,
    meaning: 'The maximum number of large configs and bodies is waiting to be read.',
    advice: 'Try again after the seconds of `Retry-After`.',
  },
  HR_SCHEDULE_REFUSED: {
    status: 400,
    meaning:
      'The cron expression or the time zone of a schedule is not valid, or the schedule is never or too often due.',
    advice: 'Correct the field that the message names; `limits.minScheduleSeconds` is the shortest interval.',
  },
  HR_SCHEDULE_STORE_FULL: {
    status: 400,
    meaning: 'The store holds the maximum number of schedules (`limits.maxSchedules`).',
    advice: 'Delete schedules that are not needed, or raise `limits.maxSchedules`.',
  },
  HR_SCHEDULE_NOT_FOUND: {
    status: 404,
    meaning: 'The config has no schedule.',
    advice: 'Set one with `PUT /v1/config/{id}/schedule`; `GET /v1/schedule` lists all.',
  },
  HR_SCHEDULE_IS_FIXED: {
    status: 409,
    meaning: 'The service file defines the schedule of this preset.',
    advice: 'Change `schedules` in the service file, and restart the service.',
  },
  HR_SCHEDULE_SKIPPED: {
    status: 409,
    meaning:
      'A schedule has started no run at its last time (`lastProblem`): its previous run was still active, or the service was not running.',
    advice: 'No action is needed. See `overlap` and `catchUp` of the schedule for other behaviour.',
  },
  HR_RUN_NOT_FOUND: {
    status: 404,
    meaning: 'There is no run with this id.',
    advice: 'Use an id that `GET /v1/run` lists; the oldest finished runs are deleted (`limits.maxRuns`).',
  },
  HR_RUN_FORGOTTEN: {
    status: 409,
    meaning: 'The request was sent before, and the run that it started has been deleted since.',
    advice: 'Use a new `Idempotency-Key` to start another run, or raise `limits.maxRuns`.',
  },
  HR_REQUEST_KEY_REUSED: {
    status: 422,
    meaning: 'The `Idempotency-Key` was used for another request within the last day.',
    advice: 'Use a new key for each new request.',
  },
  HR_RUN_IS_DONE: {
    status: 409,
    meaning: 'The run has already ended.',
    advice: 'No action is needed, because the run has ended.',
  },
  HR_RUN_IS_GOING: {
    status: 409,
    meaning: 'The run has not ended yet.',
    advice: 'Wait until it ends, or cancel it.',
  },
  HR_RETRY_NOTHING: {
    status: 409,
    meaning: 'The run has no failed documents that can be processed again.',
    advice:
      'If no document failed, no action is needed. Otherwise see `GET /v1/run/{id}/failures`: `omitted` says why the document was not kept; run the config again.',
  },
  HR_RETRY_CONFIG: {
    status: 409,
    meaning: 'The config is no longer available in the form that the run used.',
    advice: 'Name the config to use in its current version: `{"configId": "..."}`.',
  },
  HR_RUN_NOT_ROLLED_BACK: {
    status: 409,
    meaning: 'The output of the run could not be rolled back.',
    advice: 'See [Reindexing](reindexing.md#roll-back).',
  },
  HR_RUN_QUEUE_FULL: {
    status: 429,
    meaning: 'The maximum number of runs is waiting (`limits.maxQueuedRuns`), or their configs are too large together.',
    advice:
      'Try again after the seconds of `Retry-After`, or raise `limits.maxQueuedRuns` or `limits.maxConcurrentRuns`.',
  },
  HR_TOO_MANY_STREAMS: {
    status: 429,
    meaning: 'The user or the run has the maximum number of open event streams.',
    advice:
      'Close unused streams, or raise `limits.maxStreamsPerUser` or `limits.maxStreamsPerRun`. `GET /v1/run/{id}` shows the progress of a run without a stream.',
  },
  HR_PREVIEW_BUSY: {
    status: 429,
    meaning: 'The maximum number of previews, connection checks and rollbacks is running.',
    advice: 'Try again after the seconds of `Retry-After`.',
  },
  HR_PREVIEW_FAILED: {
    status: 422,
    meaning: 'The preview or the connection check could not be finished.',
    advice: 'The message gives the reason. If it is time or memory, ask for fewer documents.',
  },
  HR_NOT_READY: {
    status: 503,
    meaning: 'The service cannot work at present.',
    advice: 'Wait, or fix the failed checks; the answer names them.',
  },
  HR_STORE_UNAVAILABLE: {
    status: 503,
    meaning: 'The store cannot be written.',
    advice:
      'Free space on the disk, give the service its permissions back, or restore the files of the store. The service tries again by itself.',
  },
  HR_FILE_EXISTS: {
    status: 409,
    meaning: 'There is an uploaded file with this name, or it is being uploaded.',
    advice: 'Send the file with `?replace=true`, or with another name. If another upload of it has not ended, wait.',
  },
  HR_FILE_NOT_FOUND: {
    status: 404,
    meaning: 'There is no uploaded file with this name.',
    advice: 'Use a name that `GET /v1/file` lists.',
  },
  HR_FILE_STORE_FULL: {
    status: 400,
    meaning:
      'The uploaded files have the maximum total size (`limits.maxFilesBytes`) or number (1000), or their disk is full.',
    advice: 'Delete uploaded files that no config needs, or raise `limits.maxFilesBytes`.',
  },
  HR_SERVER_BUSY: {
    status: 503,
    meaning: 'The request bodies in memory have reached the limit of 256 MiB together.',
    advice: 'Try again after the seconds of `Retry-After`.',
  },
  HR_SHUTTING_DOWN: {
    status: 503,
    meaning: 'The service is shutting down and starts no new work.',
    advice: 'Try again when the service is running again.',
  },
  HR_SERVER_ERROR: {
    status: 500,
    meaning: 'A bug in Headrace.',
    advice: 'Report it, with the log of the service at that time.',
  },
} as const satisfies Readonly<Record<string, ServiceError>>;

export type ServiceErrorCode = keyof typeof SERVICE_ERROR_CODES;
