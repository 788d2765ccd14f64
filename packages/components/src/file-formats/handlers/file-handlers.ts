import {
  type ClassChoices,
  checkNested,
  contractError,
  type JsonObject,
  kindOf,
  loadPluginExport,
  MapOf,
  nearest,
  type ParameterProblem,
  pluginClassNames,
  Type,
  type Value,
} from '@headrace/engine';
import { CsvFormat } from '../csv/csv-format.ts';
import { type CsvSettings, checkCsvSettings, csvParameters } from '../csv/csv-settings.ts';
import type { FormatContext } from '../format-context.ts';
import { JsonFormat } from '../json/json-format.ts';
import { checkJsonSettings, type JsonSettings, jsonParameters } from '../json/json-settings.ts';
import { XmlFormat } from '../xml/xml-format.ts';
import { checkXmlSettings, type XmlSettings, xmlParameters } from '../xml/xml-settings.ts';
import type { FileFormat, FileHandler } from './file-handler.ts';

/** The parameter `fileHandlers` of a component. `checkFileHandlers` checks the settings of each handler. */
export type FileHandlers = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

const idParameters = {
  docIdPrefix: Type.String({ default: '' }),
  idField: Type.Optional(Type.String()),
  idFields: Type.Array(Type.String(), { default: [] }),
  docIdFormat: Type.Optional(Type.String()),
};

const csv: FileHandler = {
  parameters: Type.Object({ ...idParameters, ...csvParameters }),
  recordsHavePath: true,
  check: checkCsvSettings,
  open: (settings: CsvSettings, context) => new CsvFormat(settings, context),
};

const json: FileHandler = {
  parameters: Type.Object({ ...idParameters, ...jsonParameters }),
  check: checkJsonSettings,
  open: (settings: JsonSettings, context) => new JsonFormat(settings, context),
};

const xml: FileHandler = {
  parameters: Type.Object({ docIdPrefix: idParameters.docIdPrefix, ...xmlParameters }),
  check: checkXmlSettings,
  open: (settings: XmlSettings, context) => new XmlFormat(settings, context),
};

const BY_EXTENSION: Readonly<Record<string, FileHandler>> = { csv, json, jsonl: json, xml };
const BY_CLASS: Readonly<Record<string, FileHandler>> = {
  CSVFileHandler: csv,
  JsonFileHandler: json,
  // The documentation of the reference uses this name.
  JSONFileHandler: json,
  XMLFileHandler: xml,
};
const JAVA_PACKAGE = 'com.kmwllc.lucille.core.fileHandler.';

/** The schema of the handlers for editors: their names, and the connector whose page describes their parameters. */
const choices: ClassChoices = {
  classes: (
    [
      [csv, 'CSVConnector'],
      [json, 'JSONConnector'],
      [xml, 'XMLConnector'],
    ] as const
  ).map(([{ parameters }, describedBy]) => ({
    names: Object.keys(BY_CLASS)
      .filter((name) => BY_CLASS[name]?.parameters === parameters)
      .flatMap((name) => [name, JAVA_PACKAGE + name]),
    parameters,
    describedBy,
  })),
  others: pluginClassNames('file handler'),
  byKey: { csv: 'CSVFileHandler', json: 'JsonFileHandler', jsonl: 'JsonFileHandler', xml: 'XMLFileHandler' },
};

/** The parameter `fileHandlers`: for each extension, the settings of its handler. */
export const FileHandlersParameter = MapOf(MapOf(Type.Unknown()), { choices });

/** Reports all problems in the handlers of a component. */
export function* checkFileHandlers(handlers: FileHandlers, parameter = 'fileHandlers'): Generator<ParameterProblem> {
  for (const [extension, settings] of handlers) {
    const handler = handlerOf(extension, settings);
    if ('message' in handler) yield { parameter: [parameter, extension], ...handler };
    else yield* readSettings(handler, extension, settings, parameter).problems;
  }
}

/** Returns the extensions whose records do not have the path of their file. */
export function extensionsWithoutPath(handlers: FileHandlers): string[] {
  return [...handlers]
    .filter(([extension, settings]) => {
      const handler = handlerOf(extension, settings);
      return !('message' in handler) && handler.recordsHavePath !== true;
    })
    .map(([extension]) => extension);
}

/**
 * The formats of valid handlers, by extension. Each is created for its first file. `json` also reads `jsonl` files, and
 * `jsonl` reads `json` files, if the other handler is missing.
 */
export class FileFormats {
  readonly #handlers: FileHandlers;
  readonly #context: Omit<FormatContext, 'docIdPrefix'>;
  readonly #opened = new Map<string, FileFormat>();

  constructor(handlers: FileHandlers, context: Omit<FormatContext, 'docIdPrefix'>) {
    this.#handlers = handlers;
    this.#context = context;
  }

  /** Returns the format of files with this extension, or undefined if there is no handler. */
  of(extension: string | undefined): FileFormat | undefined {
    if (extension === undefined) return undefined;
    let format = this.#opened.get(extension);
    if (format !== undefined) return format;
    const other = extension === 'json' ? 'jsonl' : extension === 'jsonl' ? 'json' : extension;
    const key = this.#handlers.has(extension) ? extension : other;
    const settings = this.#handlers.get(key);
    if (settings === undefined) return undefined;
    const handler = handlerOf(key, settings);
    if ('message' in handler) throw new TypeError(handler.message);
    const { params } = readSettings(handler, key, settings, '');
    const docIdPrefix = (params['docIdPrefix'] as string | undefined) ?? '';
    format = handler.open(params as never, { ...this.#context, docIdPrefix });
    if (typeof (format as Partial<FileFormat> | undefined)?.publish !== 'function') {
      throw contractError(
        `open() of the file handler of ${key} returned ${kindOf(format)}, not a format`,
        'Return an object with publish(file, publisher).',
      );
    }
    this.#opened.set(extension, format);
    return format;
  }
}

function handlerOf(
  extension: string,
  settings: ReadonlyMap<string, unknown>,
): FileHandler | { message: string; hint: string } {
  const given = settings.get('class');
  if (given === undefined || given === null) {
    const handler = Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
    return handler ?? { message: `No "class" provided for FileHandler config ${extension}.`, hint: KNOWN };
  }
  const name = String(given).replace(JAVA_PACKAGE, '');
  const handler = Object.hasOwn(BY_CLASS, name) ? BY_CLASS[name] : undefined;
  if (handler !== undefined) return handler;
  const plugin = loadPluginExport('file handler', String(given));
  if (plugin !== undefined) return 'exported' in plugin ? (plugin.exported as FileHandler) : plugin;
  const best = nearest(name, Object.keys(BY_CLASS));
  return {
    message: `There is no file handler ${String(given)}`,
    hint: best === undefined ? KNOWN : `Did you mean ${best}?`,
  };
}

const KNOWN = 'Use CSVFileHandler, JsonFileHandler or XMLFileHandler. csv, json, jsonl and xml need no class.';

function readSettings(
  handler: FileHandler,
  extension: string,
  settings: ReadonlyMap<string, unknown>,
  parameter: string,
) {
  return checkNested(handler, settings as ReadonlyMap<string, Value> as JsonObject, [parameter, extension], ['class']);
}
