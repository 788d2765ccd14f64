import {
  CONNECTS,
  HeadraceError,
  type Logger,
  messageOf,
  nearest,
  type ParameterProblem,
  type Static,
  type TouchedFile,
  Type,
  toFailure,
} from '@headrace/engine';
import {
  DatabaseUrlError,
  displayUrl,
  parseJdbcUrl,
  type ServerUrl,
  type SqliteUrl,
} from '@headrace/languages/java/sql';
import { checkDatabaseAccess } from '../database/check-database-access.ts';
import type { DatabaseSettings } from '../database/database.ts';
import { checkUrlParameters } from '../database/url-parameters.ts';
import { extensionsWithoutPath, type FileHandlers } from '../file-formats/handlers/file-handlers.ts';
import { existsSync } from '../local-files/local-files.ts';
import { damagedState } from './damaged-state.ts';
import { type FilterSettings, isIncremental, sendsTombstones } from './file-filter.ts';
import type { FileState } from './file-state.ts';

/** The schema of the block `state`. */
export const StateParameter = Type.Object({
  /** Whether the connector remembers files between runs. */
  enabled: Type.Boolean({ default: true }),
  /** The JDBC driver of the database. It has no effect: the connection string names the database. */
  driver: Type.String({ default: 'org.h2.Driver' }),
  /**
   * Where the state is kept: jdbc:sqlite:file, jdbc:postgresql://host:port/database, jdbc:mysql:…, jdbc:mariadb:… or
   * jdbc:h2:path, for which the SQLite file path.sqlite is used. One run at a time can open it. Defaults to
   * jdbc:h2:./state/ and the name of the connector.
   */
  connectionString: Type.Optional(Type.String(CONNECTS)),
  /**
   * The user of the database; not needed for a file. If jdbcUser and jdbcPassword are empty, those in the connection
   * string are used.
   */
  jdbcUser: Type.String({ default: '' }),
  /** The user's password. */
  jdbcPassword: Type.String({ default: '' }),
  /** The name of the table, in upper case. Defaults to the name of the connector. */
  tableName: Type.Optional(Type.String()),
  /** Whether expired files are removed from the state. If false, they stay there and are not reported again. */
  performDeletions: Type.Boolean({ default: true }),
  /** The number of consecutive runs that must miss a file before it is expired. */
  runsBeforeExpiration: Type.Integer({ default: 1, minimum: 1 }),
  /** Accepted without effect: a path may have 2,600 bytes in a server, and any length in SQLite. */
  pathLength: Type.Integer({ default: 200, minimum: 1 }),
});

/** The schema of the block `state` of connectors that remember values other than files. */
export const RememberParameter = Type.Object({
  /** Whether the connector remembers values between runs. */
  enabled: Type.Boolean({ default: true }),
  /** The JDBC driver of the database. It has no effect: the connection string names the database. */
  driver: Type.String({ default: 'org.h2.Driver' }),
  /**
   * Where the state is kept: jdbc:sqlite:file, jdbc:postgresql://host:port/database, jdbc:mysql:…, jdbc:mariadb:… or
   * jdbc:h2:path, for which the SQLite file path.sqlite is used. One run at a time can open it. Defaults to
   * jdbc:h2:./state/ and the name of the connector.
   */
  connectionString: Type.Optional(Type.String(CONNECTS)),
  /** The user of the database; not needed for a file. */
  jdbcUser: Type.String({ default: '' }),
  /** The user's password. */
  jdbcPassword: Type.String({ default: '' }),
  /** The name of the table, in upper case. Defaults to the name of the connector. */
  tableName: Type.Optional(Type.String()),
});

/** The settings of the state of a connector: the block `state` of a config. */
export type StateSettings = Static<typeof RememberParameter>;

/** Returns whether a connector with this block remembers files. */
export function keepsState(state: StateSettings | undefined): state is StateSettings {
  return state?.enabled === true;
}

/** Reports mistakes in the block, and in settings that need a state. */
export function* checkStateSettings(
  state: StateSettings | undefined,
  filter: FilterSettings,
  handlers: FileHandlers | undefined,
): Generator<ParameterProblem> {
  if (isIncremental(filter)) {
    if (state === undefined) {
      yield {
        parameter: 'filterOptions.publishMode',
        message: "filterOptions.publishMode of 'incremental' requires state configuration.",
        hint: 'Add state {}, so that the connector remembers the published files.',
      };
    } else if (!keepsState(state)) {
      yield {
        parameter: 'state.enabled',
        message: 'Without state every run publishes all files, even if publishMode is incremental',
        severity: 'warning',
      };
    }
  } else if (sendsTombstones(filter)) {
    yield {
      parameter: 'filterOptions.sendTombstones',
      message: "filterOptions.sendTombstones requires filterOptions.publishMode 'incremental'",
    };
  }
  if (filter.lastPublishedCutoff !== undefined && !isIncremental(filter)) {
    yield {
      parameter: 'filterOptions.lastPublishedCutoff',
      message: 'filterOptions.lastPublishedCutoff has an effect only if filterOptions.publishMode is incremental',
      severity: 'warning',
    };
  }
  const lasting = handlers === undefined ? [] : extensionsWithoutPath(handlers);
  if (sendsTombstones(filter) && lasting.length > 0) {
    yield {
      parameter: 'filterOptions.sendTombstones',
      message: `The tombstone of a file cannot delete the records that the handlers of ${lasting.join(', ')} read: these records do not contain its path`,
      hint: 'Publish such files without a handler, or delete their records in another way.',
      severity: 'warning',
    };
  }
  yield* checkStateConnection(state);
}

/** Reports mistakes in the connection string of a state. */
export function* checkStateConnection(state: StateSettings | undefined): Generator<ParameterProblem> {
  if (!keepsState(state) || state.connectionString === undefined) return;
  const { connectionString } = state;
  const parameter = 'state.connectionString';
  try {
    yield* checkUrlParameters(parameter, stateUrl(connectionString));
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    yield { parameter, message: `${parameter}: ${error.message}`, hint: error.hint };
  }
}

/** Returns the default path of the state of a connector. */
function defaultPath(connector: string): string {
  return `./state/${connector}`;
}

function defaultUrl(connector: string): string {
  return `jdbc:h2:${defaultPath(connector)}`;
}

/** Yields the file of the state if no parameter names it. */
export function* defaultStateFile({ connectionString }: StateSettings, connector: string): Generator<TouchedFile> {
  if (connectionString !== undefined) return;
  yield { parameter: 'state', access: 'write', path: defaultPath(connector), verb: 'keep a state in' };
}

/** Returns the local file of the state of a connector; undefined if the state is in a server or in memory. */
export function stateFile({ connectionString }: StateSettings, connector: string): string | undefined {
  const url = stateUrl(connectionString ?? defaultUrl(connector));
  return url.kind === 'sqlite' && url.file !== ':memory:' ? url.file : undefined;
}

/** Opens the state of a connector. Throws `HR_SOURCE_UNREADABLE` if that is not possible. */
export async function openState(settings: StateSettings, connector: string, log: Logger): Promise<FileState> {
  const { connectionString = defaultUrl(connector), tableName = connector } = settings;
  const url = stateUrl(connectionString);
  const table = tableName.toUpperCase();
  if (url.kind === 'sqlite') return openSqliteState(url, table, log);
  const { ServerFileState } = await import('./server-file-state.ts');
  const { MYSQL_STATE, POSTGRES_STATE } = await import('./state-dialect.ts');
  const dialect = url.kind === 'mysql' ? MYSQL_STATE : POSTGRES_STATE;
  try {
    return await ServerFileState.open(loginOf(settings, connectionString), dialect, table, log);
  } catch (error) {
    const { message, hint = 'Check that no other run uses it, and that the user may create and alter tables.' } =
      toFailure(error, 'HR_SOURCE_UNREADABLE');
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `The state in ${displayUrl(url)} cannot be opened: ${message}`, {
      hint,
      cause: error,
    });
  }
}

/**
 * Connects to the server of the state. Throws the error if the server is not reachable or rejects the login. Does not
 * check a file.
 */
export async function checkStateAccess(settings: StateSettings, log: Logger): Promise<void> {
  const { connectionString } = settings;
  if (connectionString === undefined || stateUrl(connectionString).kind === 'sqlite') return;
  await checkDatabaseAccess(loginOf(settings, connectionString), log, async () => undefined);
}

function loginOf({ jdbcUser, jdbcPassword }: StateSettings, connectionString: string): DatabaseSettings {
  return { connectionString, jdbcUser, jdbcPassword };
}

async function openSqliteState({ file, insteadOf }: SqliteUrl, table: string, log: Logger): Promise<FileState> {
  if (insteadOf?.file !== undefined && existsSync(insteadOf.file) && !existsSync(file)) {
    log.warn(
      `The state in ${insteadOf.file} is an H2 database, which only Java can read: the new file ${file} is used instead. It is empty, so this run publishes every file again`,
    );
  }
  const { SqliteFileState } = await import('./sqlite-file-state.ts');
  try {
    return await SqliteFileState.open(file, table);
  } catch (error) {
    const damaged = damagedState(file, error);
    if (damaged !== undefined) throw damaged;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `The state in ${file} cannot be opened: ${messageOf(error)}`, {
      hint: 'Check that the file is writable, and that no other run has it open.',
      cause: error,
    });
  }
}

function stateUrl(connectionString: string): SqliteUrl | ServerUrl {
  const url = parseJdbcUrl(connectionString, nearest);
  if (url.kind === 'sqlserver' || (url.kind === 'postgres' && url.scheme === 'redshift')) {
    throw new DatabaseUrlError(
      `state cannot be kept in ${url.kind === 'sqlserver' ? 'SQL Server' : 'Redshift'}`,
      'Keep it in a file of this machine (jdbc:sqlite:<file>), in PostgreSQL, MySQL or MariaDB.',
    );
  }
  if (url.kind === 'sqlite' && url.readOnly)
    throw new DatabaseUrlError('the file is opened read-only', 'Remove that property.');
  return url;
}
