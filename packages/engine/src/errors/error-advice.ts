import type { ErrorCode } from './error-codes.ts';

/** General advice for each error code. The hint of a single error is more specific. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  HR_CONFIG_SYNTAX: 'Correct the text at the line and column in the message.',
  HR_CONFIG_UNRESOLVED:
    'Define the path, set the environment variable, or write `${?…}` where it may be missing. Uploaded configs cannot read the environment of the server.',
  HR_CONFIG_INCLUDE:
    'Check the name and the permissions of the file. Send an uploaded config in one piece, without includes.',
  HR_CONFIG_NOT_AN_OBJECT: 'The top level of a config is an object with `connectors`, `pipelines` and `indexer`.',
  HR_CONFIG_MISSING_SECTION: 'Add the section; the hint shows an example.',
  HR_CONFIG_WRONG_TYPE: 'Write a value of the type in the message. A list needs brackets, even with only one value.',
  HR_CONFIG_INVALID_VALUE: 'Use a value within the limits, or one of the choices, in the message.',
  HR_CONFIG_MISSING_PARAMETER: 'Add the parameter. The documentation page of the component describes it.',
  HR_CONFIG_UNKNOWN_PARAMETER: 'Correct the spelling (letter case matters), or remove the parameter.',
  HR_CONFIG_MISSING_CLASS: 'Add `class`, or `type` for an indexer.',
  HR_CONFIG_UNKNOWN_CLASS:
    'Correct the name; `headrace components` and `GET /v1/config-info/stage-list` (`connector-list`, `indexer-list`) list the existing names. Write a custom class with its module: `./my-stage.js#MyStage`.',
  HR_CONFIG_COMPONENT_LOAD:
    'Check that the module exists, that its imports can be found, and that it exports the class. For a service, list custom modules in the service file.',
  HR_LIBRARY_MISSING: 'Run the `npm install` command in the message, and restart Headrace.',
  HR_LIBRARY_VERSION:
    'The message names the installed version and the one that is needed. The hint says how to install it. Restart Headrace after it.',
  HR_CONFIG_DUPLICATE_NAME: 'Give each one a different name.',
  HR_CONFIG_MISSING_PIPELINE: 'Correct the name after `pipeline`, or define that pipeline.',
  HR_CONFIG_DISTRIBUTED:
    'Run it from the command line, with the commands in the hint. docs/distributed.md explains them.',
  HR_CONFIG_UNREACHABLE:
    'The message shows the request and the response. Check the address, the credentials, and that the server is running.',
  HR_CONFIG_NOTICES:
    'Look at the example in the message. Correct the setting or the source, or run the config as it is.',
  HR_POLICY_REFUSED:
    'The message says what the policy refused. Use something that it allows, or ask the operator of the service to change `policy` in the service file.',
  HR_POLICY_NO_BOUNDARY:
    'The message says what was tried and what failed. The operator of the service can install bubblewrap or allow user namespaces ([security](security.md#python-of-uploads)), or set `policy.scripts: all` if all users who upload are trusted.',
  HR_CONFIG_UNUSED: 'Remove it, or add a reference to it.',
  HR_CONFIG_OLD_NAME:
    'Write the current name, which the message contains. [Names of older releases](lucille-releases.md) lists all of them.',
  HR_DOCUMENT_RESERVED_FIELD:
    'Write to another field: `id`, `run_id`, `___children`, `___dropped` and `___skipped` belong to the engine.',
  HR_DOCUMENT_EMPTY_FIELD_NAME:
    'Give the field a name. The empty name often comes from an empty parameter or an empty column of a header.',
  HR_DOCUMENT_NOT_AN_OBJECT: 'Each document of the source must be an object in braces.',
  HR_DOCUMENT_NO_ID: 'Name the field that holds the id in the connector (`idField`), or give the documents an `id`.',
  HR_DOCUMENT_NESTED_PATH:
    'Separate names with dots and write positions in brackets: `a.b[0].c`. Check that the document has the lists and objects that the path needs.',
  HR_DOCUMENT_SYNTAX: 'Correct the text at the offset in the message.',
  HR_DOCUMENT_TYPE:
    'Check the field before this stage, for example with the stage `Print`. A custom component converts plain data to field values with `toValue`.',
  HR_RECORD_UNREADABLE: 'Correct the record at the position in the message, and ingest it again.',
  HR_STAGE_FAILED:
    'The failure names the stage and the document. Add a condition to the stage, or correct the document.',
  HR_STAGE_OVERDUE:
    'The usual cause is a regular expression that backtracks, or a script with an endless loop: correct it. If the stage really needs the time, raise `worker.maxProcessingSecs`.',
  HR_STAGE_START:
    'The message names the stage and the reason, such as a missing file, a server that cannot be reached, or a library that is not installed.',
  HR_STAGE_CHILD_INVALID:
    'Correct the custom stage: it must return documents with an id, created with `Document.create`.',
  HR_COMPONENT_CONTRACT:
    'The message names the component and the rule. Correct the component; see [Custom components](custom-components.md#what-headrace-checks).',
  HR_PIPELINE_THREAD_LOST: 'Give the run more memory, fewer threads or smaller documents. The other runs continue.',
  HR_CONNECTOR_FAILED: 'The message gives the reason. Documents that were published before the error are in the index.',
  HR_CONNECTOR_TIMEOUT: 'Raise `runner.connectorTimeout`, or find out what the run waits for.',
  HR_SOURCE_UNREADABLE: 'Check the path or the address, and the permission to read it.',
  HR_SOURCE_INCOMPLETE:
    'The message says where reading ended and why: usually a missing quote or tag, or a truncated file. Correct the file, and run again.',
  HR_INDEXER_START: 'Correct the block `indexer` or the block of the indexer as the message says.',
  HR_INDEXER_CONNECT: 'Check the address, the credentials and the certificate, and that the search engine is running.',
  HR_INDEXER_FAILED: 'The message is the response of the destination. Often, the mapping does not match the field.',
  HR_INDEXER_UNDELIVERED:
    'Make sure that the destination is running, and run again: the source publishes the same documents again.',
  HR_INDEXER_FINISH:
    'Correct the reason in the message, and run again. The next run removes what this run left in the destination.',
  HR_INDEXER_GONE:
    'Find out which program or person removed the destination, for example with the audit log of the server. Then start the run again. If the message names a file with hashes, delete this file. If the disk is full, free space.',
  HR_RUN_CHECK_FAILED:
    'Find out why the output differs from what the check expects: see the failed documents of the run, and search the new index, which the next run removes. If the output is right, change the check.',
  HR_ROLLBACK_FAILED: 'See [Reindexing](reindexing.md#roll-back).',
  HR_MEMORY_LIMIT:
    'Read less: smaller files, or a limit of the stage such as `maxSize`. The operator of the service can raise `limits.memoryMb`, which should be less than the memory of the machine ([security](security.md#memory)).',
  HR_RUN_OUT_OF_MEMORY:
    'Raise the memory limit of runs, use fewer threads, or remove stages that collect a whole source.',
  HR_RUN_THREAD_LOST: 'Start the run again; if it happens again, report it with the log.',
  HR_RUN_FAILURES_NOT_KEPT:
    'Run with `--failures FILE`, or correct the cause: the next run reads these documents again. See [what counts as read](configuration.md#what-counts-as-read).',
  HR_RUN_FOREIGN_MESSAGE:
    'Give each config its own `kafka.consumerGroupId`. See [two configs on the same brokers](distributed.md#two-configs-on-the-same-brokers).',
  HR_RUN_NOTHING_SUCCEEDED:
    'Check the reasons of the failed documents. Often all have the same reason, such as a wrong mapping or a stage with a wrong field.',
  HR_RUN_MAX_FAILURES: 'Correct the cause of the failed documents, or raise `runner.maxFailures`.',
  HR_RUN_NOTICES:
    'Look at the first examples of the notices, and correct their cause. If the data is right, change the rule in `runner.notices`.',
  HR_RUN_TIMEOUT:
    'Split the source into several runs, or find out what the run waits for. The operator of the service can raise `policy.limits.maxRunSecs`.',
  HR_RUN_CANCELLED: 'If you stopped the run on purpose, there is nothing to do. A new run starts from the beginning.',
  HR_RUN_INTERRUPTED: 'Start the config again: an interrupted run does not continue by itself.',
  HR_RETRY_INVALID: 'Send the lines exactly as `headrace run --failures` or `GET /v1/run/{id}/failures` returned them.',
  HR_RETRY_LEFT_OUT:
    'The message lists them with the reason: their content was not stored, or the config has changed. Run the source again for these documents.',
  HR_SERVICE_UNPROTECTED:
    'Add users to the service file, or set `server.host: 127.0.0.1`, or write `auth: none` if every client that reaches the service may use it.',
  HR_INTERNAL: 'Report it with the log and the config.',
};
