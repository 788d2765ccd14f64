import { MapOf, type ParameterProblem, Type } from '@headrace/engine';
import { compileXPath, XPathError } from '@headrace/formats/xml/xpath';
import { checkDestination } from '../../fields/destination.ts';
import { checkEncoding, type EncodingSettings, invalidBytesParameter } from '../encoding/encoding-settings.ts';

/** The settings for reading XML. They are plain data, so they can be sent to other threads. */
export interface XmlSettings extends EncodingSettings {
  /** The path of the elements that become documents, from the root: `/lib/book`. */
  readonly xmlRootPath: string;
  /** The path of the elements whose text is the id, from the root: `/lib/book/isbn`. */
  readonly xmlIdPath?: string;
  /** The XPath expression for the id, relative to the element of the document. It replaces `xmlIdPath`. */
  readonly xpathIdPath?: string;
  /** The namespaces of the prefixes in `xpathIdPath`. */
  readonly namespaces?: ReadonlyMap<string, string>;
  /** The field for the XML of the element. */
  readonly outputField: string;
  /** Whether elements without an id are omitted. Otherwise they get a random id. */
  readonly skipEmptyId?: boolean;
}

/** The parameters of a file handler for XML. */
export const xmlParameters = {
  xmlRootPath: Type.String(),
  xmlIdPath: Type.Optional(Type.String()),
  xpathIdPath: Type.Optional(Type.String()),
  namespaces: Type.Optional(MapOf(Type.String())),
  encoding: Type.String({ default: 'utf-8' }),
  outputField: Type.String({ default: 'xml' }),
  skipEmptyId: Type.Boolean({ default: false }),
  ...invalidBytesParameter,
};

/** Returns the element names of a path such as `/lib/book`. */
export function pathNames(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

/** Reports problems that the schema cannot express. */
export function* checkXmlSettings(settings: XmlSettings): Generator<ParameterProblem> {
  const { xmlRootPath, xmlIdPath, xpathIdPath, outputField, namespaces } = settings;
  yield* checkPath('xmlRootPath', xmlRootPath);
  if ((xmlIdPath === undefined) === (xpathIdPath === undefined)) {
    yield {
      parameter: xmlIdPath === undefined ? 'xmlRootPath' : 'xpathIdPath',
      message: `${xmlIdPath === undefined ? 'One' : 'Only one'} of xmlIdPath and xpathIdPath must be given`,
      hint: 'It names the place of the document id: xmlIdPath as a path from the root, xpathIdPath as an XPath.',
    };
  }
  if (xmlIdPath !== undefined) {
    yield* checkPath('xmlIdPath', xmlIdPath);
    if (xmlIdPath !== xmlRootPath && !xmlIdPath.startsWith(`${xmlRootPath}/`)) {
      yield {
        parameter: 'xmlIdPath',
        message: `xmlIdPath "${xmlIdPath}" does not lead into the elements of "${xmlRootPath}", so no document has an id`,
        hint: `It starts at the root of the file: ${xmlRootPath}/id.`,
        severity: 'warning',
      };
    }
  }
  if (xpathIdPath !== undefined) {
    try {
      for (const prefix of compileXPath(xpathIdPath, namespaces).unbound) {
        yield {
          parameter: 'xpathIdPath',
          message: `xpathIdPath "${xpathIdPath}" finds nothing: no namespace has the prefix ${prefix}`,
          hint: `Add it: namespaces { ${prefix}: "http://…" }.`,
          severity: 'warning',
        };
      }
    } catch (error) {
      if (!(error instanceof XPathError)) throw error;
      yield { parameter: 'xpathIdPath', message: `"${xpathIdPath}" is not an XPath expression: ${error.message}` };
    }
  }
  yield* checkEncoding(settings, 'java');
  yield* checkDestination('outputField', outputField);
}

/**
 * Warns about a path that cannot match. It is accepted, because the reference also accepts it and creates no documents.
 */
function* checkPath(parameter: 'xmlRootPath' | 'xmlIdPath', path: string): Generator<ParameterProblem> {
  if (/^(?:\/[^/@*[\]()\s]+)+$/.test(path)) return;
  yield {
    parameter,
    message: `${parameter} "${path}" is not a path of element names from the root, so it matches nothing`,
    hint: 'Write it like /Company/staff. It is not an XPath: no attributes, no predicates, no "//".',
    severity: 'warning',
  };
}
