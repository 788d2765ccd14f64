import { sep } from 'node:path';
import { type Document, HeadraceError, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { folderOf, normalizeFilePath } from '@headrace/languages/java/text';

const parameters = Type.Object({
  /** The field with the path. If it is a list, its first value is used. */
  filePathField: Type.String({ default: 'file_path' }),
  /** The separator in the results, "/" or "\\". Defaults to that of the system. */
  fileSep: Type.Optional(Type.String()),
  /** Whether file_extension is in upper case. */
  uppercaseExtension: Type.Boolean({ default: true }),
  /** Whether to write file_paths. */
  includeHierarchy: Type.Boolean({ default: true }),
});

/**
 * Splits the path of a file into parts, each in a separate field.
 *
 * The fields are filename (the name after the last separator), folder (the text before it; empty if there is none, /
 * for a file at the root, C: for C:x.txt), path (the whole path in its simple form), file_extension (the text after the
 * last dot of the name, empty without a dot) and, with includeHierarchy, file_paths (the folders above, the outermost
 * first, without a leading separator). Values are added: the fields are lists even with one value, and existing values
 * stay.
 *
 * Slashes and backslashes both separate and become fileSep. The parts . and .., double separators and a separator at
 * the end are removed. A path is only text here: the file need not exist, and the scheme of a URL counts as a folder. A
 * document without the field, or with null in it, does not change. A path above its root fails the document.
 */
export class ParseFilePath extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Take a path apart',
      params: { fileSep: '/' },
      documents: [{ id: '1', file_path: '/data/./reports/2024.pdf' }],
      output: [
        {
          id: '1',
          file_path: '/data/./reports/2024.pdf',
          filename: ['2024.pdf'],
          folder: ['/data/reports'],
          path: ['/data/reports/2024.pdf'],
          file_extension: ['PDF'],
          file_paths: ['data', 'data/reports'],
        },
      ],
    },
    {
      description: 'Only the parts, from another field, for a Windows path',
      params: { filePathField: 'source', fileSep: '\\', uppercaseExtension: false, includeHierarchy: false },
      documents: [{ id: '1', source: 'C:\\data\\report.Pdf' }],
      output: [
        {
          id: '1',
          source: 'C:\\data\\report.Pdf',
          filename: ['report.Pdf'],
          folder: ['C:\\data'],
          path: ['C:\\data\\report.Pdf'],
          file_extension: ['Pdf'],
        },
      ],
    },
  ];

  static override *check({ fileSep }: Static<typeof parameters>): Generator<ParameterProblem> {
    if (fileSep === undefined || fileSep === '/' || fileSep === '\\') return;
    yield { parameter: 'fileSep', message: `fileSep must be "/" or "\\", was "${fileSep}"` };
  }

  readonly #separator = (this.params.fileSep ?? sep) as '/' | '\\';

  override process(document: Document): void {
    const { filePathField, uppercaseExtension, includeHierarchy } = this.params;
    const given = document.text(filePathField);
    if (given === undefined) return;
    const separator = this.#separator;
    const path = normalizeFilePath(given, separator);
    if (path === undefined) {
      throw new HeadraceError('HR_STAGE_FAILED', `"${given}" in field "${filePathField}" is not a path of a file`, {
        hint: 'The path leads above its root, or does not begin with a folder, a drive or a server.',
      });
    }
    const end = path.lastIndexOf(separator);
    const name = path.slice(end + 1);
    const extension = name.slice(name.lastIndexOf('.') + 1 || name.length);
    document.add('filename', name);
    document.add('folder', folderOf(path, separator));
    document.add('path', path);
    document.add('file_extension', uppercaseExtension === false ? extension : extension.toUpperCase());
    if (includeHierarchy !== false) this.#addAncestors(document, path);
  }

  #addAncestors(document: Document, path: string): void {
    const separator = this.#separator;
    let start = 0;
    while (path[start] === separator) start++;
    for (let at = path.indexOf(separator, start); at >= 0; at = path.indexOf(separator, at + 1)) {
      document.add('file_paths', path.slice(start, at));
    }
  }
}
