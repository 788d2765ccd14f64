import { sep } from 'node:path';
import { type Document, HeadraceError, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { folderOf, normalizeFilePath } from '../storage/normalize-file-path.ts';

const parameters = Type.Object({
  filePathField: Type.Optional(Type.String({ default: 'file_path' })),
  fileSep: Type.Optional(Type.String()),
  uppercaseExtension: Type.Optional(Type.Boolean({ default: true })),
  includeHierarchy: Type.Optional(Type.Boolean({ default: true })),
});

/**
 * Splits the path of a file into its parts, each in a field of its own.
 * <p>
 * Written are <code>filename</code> (the name behind the last separator), <code>folder</code> (what stands before it,
 * empty when there is nothing, <code>/</code> for a file at the root, <code>C:</code> for <code>C:x.txt</code>), <code>path</code> (the whole path in its simple
 * form), <code>file_extension</code> (the name behind its last dot, empty without one) and, with includeHierarchy,
 * <code>file_paths</code> (the folders above, the outermost first, without a leading separator). Values are added:
 * the fields are lists even with one value, and values that were there stay.
 * <p>
 * Slashes and backslashes both separate, and become fileSep; <code>.</code>, <code>..</code>, doubled separators and
 * one at the end are taken out. A path is text here: no file needs to be there, and of a URI the scheme counts as a
 * folder. A document without the field, or with null in it, is left alone; a path that climbs above its root fails
 * the document.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>filePathField (String, Optional) : The field with the path; of a list the first value. Defaults to file_path.</li>
 *   <li>fileSep (String, Optional) : The separator in what is written, "/" or "\\". Defaults to that of the system.</li>
 *   <li>uppercaseExtension (Boolean, Optional) : Whether file_extension is in upper case. Defaults to true.</li>
 *   <li>includeHierarchy (Boolean, Optional) : Whether to write file_paths. Defaults to true.</li>
 * </ul>
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
      description: 'Only the parts, from another field, for a path of Windows',
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
    const { filePathField = 'file_path', uppercaseExtension, includeHierarchy } = this.params;
    const given = document.text(filePathField);
    if (given === undefined) return;
    const separator = this.#separator;
    const path = normalizeFilePath(given, separator);
    if (path === undefined) {
      throw new HeadraceError('HR_STAGE_FAILED', `"${given}" in field "${filePathField}" is not a path of a file`, {
        hint: 'It climbs above its root, or begins with something that is neither a folder nor a drive nor a server.',
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
