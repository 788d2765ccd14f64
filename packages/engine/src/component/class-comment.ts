/** What a class comment says: prose, and a line for each parameter. */
export interface ClassComment {
  description: string;
  /** By parameter, nested ones as `outer.inner`. */
  parameters: Record<string, string>;
}

const CLASS_WITH_COMMENT =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:(?:@|\/\/)[^\n]*\n\s*)*export\s+(?:abstract\s+)?class\s+([A-Za-z_$][\w$]*)/g;
const PARAMETER = /^(\S+)\s*\(([^)]*)\)\s*:\s*([\s\S]*)$/;

/**
 * The comments of the exported classes of a module, by class name, from its source text (TypeScript or the
 * JavaScript made of it). The form is that of Javadoc:
 *
 *     Prose, which may hold <b>markup</b>, and <pre>lines of a config</pre>.
 *     <p>
 *     Config Parameters -
 *     <ul>
 *       <li>name (Type, Required|Optional) : What it does.</li>
 *     </ul>
 *
 * A class without a comment, or with one of another form, has no entry or no parameters; it never fails.
 */
export function readClassComments(source: string): Map<string, ClassComment> {
  const comments = new Map<string, ClassComment>();
  for (const [, body, name] of source.matchAll(CLASS_WITH_COMMENT)) {
    comments.set(name as string, parseComment(body as string));
  }
  return comments;
}

function parseComment(body: string): ClassComment {
  const text = body.replace(/^[ \t]*\*[ \t]?/gm, '').trim();
  const heading = text.search(/^\s*Config Parameters\s*-?\s*$/m);
  const prose = heading < 0 ? text : text.slice(0, heading);
  const parameters: Record<string, string> = {};
  if (heading >= 0) {
    for (const [, item] of text.slice(heading).matchAll(/<li>((?:(?!<li>|<\/li>)[\s\S])*)(?:<\/li>)?/g)) {
      const match = PARAMETER.exec(plain(item as string));
      if (match !== null) parameters[match[1] as string] = match[3] as string;
    }
  }
  return { description: plain(prose.replace(/<p>\s*$/, '')), parameters };
}

/** Prose without markup and line breaks; paragraphs stay apart, and the lines of a `<pre>`, which are indented by four. */
function plain(html: string): string {
  return html
    .split(/<pre>\n?([\s\S]*?)<\/pre>/)
    .map((part, i) => (i % 2 === 1 ? withoutMarkup(part.trimEnd()).replace(/^/gm, '    ') : proseOf(part)))
    .filter((part) => part !== '')
    .join('\n\n');
}

function proseOf(html: string): string {
  return withoutMarkup(html.replace(/\s*<p>\s*|\n\s*\n/g, '\u0000'))
    .replace(/[ \t\r\n]+/g, ' ')
    .split('\u0000')
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function withoutMarkup(html: string): string {
  return html
    .replace(/\{@(?:code|link)\s+([^}]*)\}/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
