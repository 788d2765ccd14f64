import type { ErrorCode } from './error-codes.ts';

/** What to do about each error, in general; the hint of a single one knows more. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  HR_CONFIG_SYNTAX: 'Correct the text at the line and column that the problem names.',
  HR_CONFIG_UNRESOLVED:
    'Define the path, set the environment variable, or write `${?…}` where it may be missing. Uploaded configs do not see the environment of the server.',
  HR_CONFIG_INCLUDE:
    'Check the name and the rights of the file. Uploaded configs are to be sent in one piece, without includes.',
  HR_CONFIG_NOT_AN_OBJECT: 'A config is an object at its top: `connectors`, `pipelines`, `indexer`.',
  HR_CONFIG_MISSING_SECTION: 'Add the section; the hint shows its form.',
  HR_CONFIG_WRONG_TYPE:
    'Write the value in the type that the message names. A list needs brackets even around one value.',
  HR_CONFIG_INVALID_VALUE: 'Choose a value within the limits or among the choices that the message names.',
  HR_CONFIG_MISSING_PARAMETER: 'Add the parameter. The page of the component tells what it means.',
  HR_CONFIG_UNKNOWN_PARAMETER: 'Correct its spelling, letter case included, or remove it.',
  HR_CONFIG_MISSING_CLASS: 'Add `class`, or for an indexer `type`.',
  HR_CONFIG_UNKNOWN_CLASS:
    'Correct the name; `headrace components` and `GET /v1/config-info/stage-list` (`connector-list`, `indexer-list`) list those that there are. A custom class is named with its module, `./my-stage.js#MyStage`.',
  HR_CONFIG_COMPONENT_LOAD:
    'Check that the module exists, that its own imports can be found, and that it exports the class. On a service, custom modules are named in the service file.',
  HR_LIBRARY_MISSING: 'Run the `npm install` command that the message gives, and restart Headrace.',
  HR_CONFIG_DUPLICATE_NAME: 'Give each of them a name of its own.',
  HR_CONFIG_MISSING_PIPELINE: 'Correct the name after `pipeline`, or define that pipeline.',
  HR_CONFIG_UNREACHABLE:
    'The message says what was asked and what came back: check the address, the credentials, and that the server is up.',
  HR_POLICY_REFUSED:
    'Use what the policy allows; the message says what it is about. Who runs the service can allow more: `policy` in the service file.',
  HR_POLICY_NO_BOUNDARY:
    'The message says what was tried and what failed. Who runs the service can install bubblewrap or allow user namespaces ([security](security.md#python-of-uploads)), or set `policy.scripts: all` if everybody who uploads is trusted.',
  HR_CONFIG_UNUSED: 'Remove it, or make something refer to it.',
  HR_DOCUMENT_RESERVED_FIELD:
    'Write another field: `id`, `run_id`, `___children`, `___dropped` and `___skipped` belong to the engine.',
  HR_DOCUMENT_EMPTY_FIELD_NAME:
    'Give the field a name; often it comes from an empty parameter or an empty column of a header.',
  HR_DOCUMENT_NOT_AN_OBJECT: 'Each document of the source must be an object in braces.',
  HR_DOCUMENT_NO_ID: 'Name the field that holds the id in the connector (`idField`), or give the documents an `id`.',
  HR_DOCUMENT_NESTED_PATH:
    'Write names between dots and positions in brackets, `a.b[0].c`, and check that the document has lists and objects where the path expects them.',
  HR_DOCUMENT_SYNTAX: 'Correct the text at the offset that the message names.',
  HR_DOCUMENT_TYPE:
    'Check what the field holds before this stage; `Print` shows it. A custom component makes values of plain data with `toValue`.',
  HR_RECORD_UNREADABLE: 'Correct the record at the place that the message names, and ingest it again.',
  HR_STAGE_FAILED:
    'The failure names the stage and the document. Guard the stage with a condition, or correct the document.',
  HR_STAGE_OVERDUE:
    'Mostly a regular expression that backtracks, or a script with a loop that does not end: correct it. If the work is honest, raise `worker.maxProcessingSecs`.',
  HR_STAGE_START:
    'The message names the stage and the reason: a file that is missing, a server that cannot be reached, a library that is not installed.',
  HR_STAGE_CHILD_INVALID: 'The custom stage that emits it must give documents with an id, made by `Document.create`.',
  HR_PIPELINE_THREAD_LOST: 'Give the run more memory, fewer threads or smaller documents. The other runs go on.',
  HR_CONNECTOR_FAILED: 'The message tells the reason. What was published before is in the index.',
  HR_CONNECTOR_TIMEOUT: 'Raise `runner.connectorTimeout`, or find out what the run waits for.',
  HR_SOURCE_UNREADABLE: 'Check the path or the address, and the rights to read it.',
  HR_SOURCE_INCOMPLETE:
    'The message says where reading ended and why: mostly a quote or a tag that is missing, or a file that was cut off. Correct the file, and run again.',
  HR_INDEXER_START: 'Correct the block `indexer` or the block of the indexer as the message says.',
  HR_INDEXER_CONNECT: 'Check the address, the credentials and the certificate, and that the search engine is up.',
  HR_INDEXER_FAILED: 'The message is what the destination said: often a mapping that does not fit the field.',
  HR_INDEXER_UNDELIVERED:
    'See to it that the destination is up, and run again: what a source remembers stays as it was.',
  HR_RUN_OUT_OF_MEMORY: 'Raise the memory limit of runs, use fewer threads, or leave out what collects whole sources.',
  HR_RUN_THREAD_LOST: 'Start the run again; if it happens again, report it with the log.',
  HR_RUN_NOTHING_SUCCEEDED:
    'Look at the reasons of the failed documents: often all have the same one, such as a mapping that does not fit or a stage with a wrong field.',
  HR_RUN_MAX_FAILURES: 'Correct what makes the documents fail, or raise `runner.maxFailures`.',
  HR_RUN_TIMEOUT:
    'Split the source into several runs, or find out what the run waits for. Who runs the service can raise `policy.limits.maxRunSecs`.',
  HR_RUN_CANCELLED: 'Nothing, if that was meant; a new run starts from the beginning.',
  HR_RUN_INTERRUPTED: 'Start the config again: a run that was interrupted does not go on by itself.',
  HR_RETRY_INVALID: 'Take the lines as `headrace run --failures` or `GET /v1/run/{id}/failures` wrote them.',
  HR_RETRY_LEFT_OUT:
    'The message says which, and why: their content was not kept, or the config has changed. Run the source again for these.',
  HR_SERVICE_UNPROTECTED:
    'Add users to the service file, or set `server.host: 127.0.0.1`, or write `auth: none` when everyone who reaches the service may use it.',
  HR_INTERNAL: 'Report it, with the log and the config.',
};
