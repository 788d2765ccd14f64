import { type ParameterProblem, Type } from '@headrace/engine';
import { compileXPath, XPathError } from '@headrace/xml/xpath';
import { checkDestination } from '../../fields/destination.ts';
import { checkEncoding, type EncodingSettings, invalidBytesParameter } from '../encoding/encoding-settings.ts';

/** How elements of XML become documents. Plain data: it crosses threads. */
export interface XmlSettings extends EncodingSettings {
  /** Path of the elements that become documents, from the root: `/lib/book`. */
  readonly xmlRootPath: string;
  /** Path of the elements whose text makes the id, from the root: `/lib/book/isbn`. */
  readonly xmlIdPath?: string;
  /** XPath that gives the id, relative to the element that becomes the document. Instead of `xmlIdPath`. */
  readonly xpathIdPath?: string;
  /** The charset of the files, whatever they declare themselves; with `auto` that counts, unless a mark says another. */
  readonly encoding?: string;
  /** The field for the XML of the element. */
  readonly outputField?: string;
  /** Whether elements without an id are left out; else they get a random one. */
  readonly skipEmptyId?: boolean;
}

/** The parameters of a file handler for XML. */
export const xmlParameters = {
  xmlRootPath: Type.String(),
  xmlIdPath: Type.Optional(Type.String()),
  xpathIdPath: Type.Optional(Type.String()),
  encoding: Type.Optional(Type.String({ default: 'utf-8' })),
  outputField: Type.Optional(Type.String({ default: 'xml' })),
  skipEmptyId: Type.Optional(Type.Boolean({ default: false })),
  ...invalidBytesParameter,
};

/** The names that a path such as `/lib/book` goes through. */
export function pathNames(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

/** Mistakes in the settings that their schema cannot express. */
export function* checkXmlSettings(settings: XmlSettings): Generator<ParameterProblem> {
  const { xmlRootPath, xmlIdPath, xpathIdPath, outputField } = settings;
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
      compileXPath(xpathIdPath);
    } catch (error) {
      if (!(error instanceof XPathError)) throw error;
      yield { parameter: 'xpathIdPath', message: `"${xpathIdPath}" is not an XPath expression: ${error.message}` };
    }
  }
  yield* checkEncoding(settings, 'java');
  if (outputField !== undefined) yield* checkDestination('outputField', outputField);
}

/** A path that can match nothing is reported but accepted: it makes no documents in the reference either. */
function* checkPath(parameter: 'xmlRootPath' | 'xmlIdPath', path: string): Generator<ParameterProblem> {
  if (/^(?:\/[^/@*[\]()\s]+)+$/.test(path)) return;
  yield {
    parameter,
    message: `${parameter} "${path}" is not a path of element names from the root, so it matches nothing`,
    hint: 'Write it like /Company/staff. It is not an XPath: no attributes, no predicates, no "//".',
    severity: 'warning',
  };
}
