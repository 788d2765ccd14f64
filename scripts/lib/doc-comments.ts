// Reads the doc comments of component classes. Only the build does so: it writes them into the catalogs.
import { readFileSync } from 'node:fs';
import { type ParseResult, parse as parseModule } from '@babel/parser';
import type { ClassComment } from '@headrace/engine';

/**
 * Returns the doc comments of the exported classes of a module, by class name. The file is JavaScript or TypeScript:
 *
 *     const parameters = Type.Object({
 *       /** The field to write. *\/
 *       dest: Type.String(),
 *     });
 *
 *     /** Writes a field. *\/
 *     export class Writer extends Stage {
 *       static parameters = parameters;
 *     }
 *
 * A schema may use constants, including constants that other files of the package export. A class without comments has
 * an empty description and no parameters. For a file that cannot be read or parsed, the result is empty.
 *
 * @param file the module, a `file:` URL
 */
export function readDocComments(file: string): Map<string, ClassComment> {
  const modules = new Modules();
  const comments = new Map<string, ClassComment>();
  const module = modules.get(file);
  for (const [name, description] of module?.comments ?? []) {
    const schema = parametersOf(modules.find('classes', name, module as Module) as Place, modules);
    comments.set(name, { description, parameters: schema === undefined ? {} : describe(schema, modules) });
  }
  return comments;
}

/** A node of the Babel syntax tree, with the properties that this module reads. */
interface Node {
  readonly type: string;
  readonly leadingComments?: readonly { readonly type: string; readonly value: string }[];
  readonly [key: string]: unknown;
}

/** A node, and the module that contains it. */
interface Place {
  readonly node: Node;
  readonly module: Module;
}

/** The top-level declarations of a module. */
interface Module {
  readonly url: string;
  readonly constants: ReadonlyMap<string, Node>;
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly classes: ReadonlyMap<string, Node>;
  /** The doc comments of the classes, by name. */
  readonly comments: ReadonlyMap<string, string>;
}

/** The modules of a package. Each module is parsed once. */
class Modules {
  readonly #known = new Map<string, Module | undefined>();

  get(url: string): Module | undefined {
    if (!this.#known.has(url)) this.#known.set(url, readModule(url));
    return this.#known.get(url);
  }

  /**
   * Finds the declaration of a name, in the module or in the file from which it is imported. Does not follow imports
   * from other packages. `hops` limits circular imports.
   */
  find(kind: 'constants' | 'classes', name: string, module: Module, hops = 8): Place | undefined {
    const node = module[kind].get(name);
    if (node !== undefined) return { node, module };
    const imported = module.imports.get(name);
    if (imported === undefined || !imported.from.startsWith('.') || hops === 0) return undefined;
    const target = this.get(new URL(imported.from, module.url).href);
    return target === undefined ? undefined : this.find(kind, imported.name, target, hops - 1);
  }
}

function readModule(url: string): Module | undefined {
  const program = parse(url);
  if (program === undefined) return undefined;
  const constants = new Map<string, Node>();
  const imports = new Map<string, { from: string; name: string }>();
  const classes = new Map<string, Node>();
  const comments = new Map<string, string>();
  for (const statement of program) {
    const declared = (statement['declaration'] as Node | null | undefined) ?? statement;
    if (declared.type === 'VariableDeclaration') {
      for (const { id, init } of declared['declarations'] as { id: Node; init: Node | null }[]) {
        if (id.type === 'Identifier' && init !== null) constants.set(id['name'] as string, init);
      }
    } else if (declared.type === 'ClassDeclaration' && declared['id'] !== null) {
      const name = (declared['id'] as Node)['name'] as string;
      classes.set(name, declared);
      comments.set(name, commentOf(statement) ?? commentOf(declared) ?? '');
    }
    const { source } = statement as { source?: { value: string } | null };
    if (source === undefined || source === null) continue;
    for (const specifier of (statement['specifiers'] as Node[] | undefined) ?? []) {
      const exported = specifier.type === 'ExportSpecifier';
      const [local, name] = [specifier[exported ? 'exported' : 'local'], specifier[exported ? 'local' : 'imported']];
      if (name !== undefined) imports.set(keyName(local as Node), { from: source.value, name: keyName(name as Node) });
    }
  }
  return { url, constants, imports, classes, comments };
}

/** Returns the statements of a file. */
function parse(url: string): Node[] | undefined {
  const plugins: ('typescript' | 'decorators')[] = /\.[mc]?ts$/.test(url)
    ? ['typescript', 'decorators']
    : ['decorators'];
  let parsed: ParseResult;
  try {
    parsed = parseModule(readFileSync(new URL(url), 'utf8'), { sourceType: 'module', errorRecovery: true, plugins });
  } catch {
    // Without a parsed file, descriptions are missing. The error itself is reported when the module is loaded.
    return undefined;
  }
  return parsed.program.body as unknown as Node[];
}

/** Returns the schema of a class: its `static parameters`, or those of its base class. */
function parametersOf({ node, module }: Place, modules: Modules): Place | undefined {
  for (const member of (node['body'] as { body: Node[] }).body) {
    if (member.type !== 'ClassProperty' || member['static'] !== true) continue;
    if (keyName(member['key'] as Node) !== 'parameters') continue;
    const { value } = member as { value?: Node | null };
    return value === undefined || value === null ? undefined : { node: value, module };
  }
  const parent = node['superClass'] as Node | null;
  if (parent?.type !== 'Identifier') return undefined;
  const found = modules.find('classes', parent['name'] as string, module);
  return found === undefined ? undefined : parametersOf(found, modules);
}

/** Returns the comments of the parameters in an expression that builds a schema. */
function describe(schema: Place, modules: Modules): Record<string, string> {
  const comments: Record<string, string> = {};
  // A constant that contains itself would cause an endless loop.
  const open = new Set<Node>();
  const visit = (place: Place, prefix: string): void => {
    const { node, module } = place;
    if (open.has(node)) return;
    open.add(node);
    if (node.type === 'CallExpression') {
      for (const argument of node['arguments'] as Node[]) visit({ node: argument, module }, prefix);
    } else if (node.type === 'ObjectExpression') {
      for (const property of node['properties'] as Node[]) {
        if (property.type === 'SpreadElement') visit({ node: property['argument'] as Node, module }, prefix);
        if (property.type !== 'ObjectProperty') continue;
        const value = { node: property['value'] as Node, module };
        const path = prefix + keyName(property['key'] as Node);
        const comment = commentOf(property) ?? commentOf(memberOf(value, modules)?.node);
        if (comment !== undefined) comments[path] = comment;
        visit(value, `${path}.`);
      }
    } else {
      const target = resolve(place, modules);
      if (target !== undefined) visit(target, prefix);
    }
    open.delete(node);
  };
  visit(schema, '');
  return comments;
}

/** Returns the value that an expression refers to: a constant for a name, a property for `shared.name`. */
function resolve(place: Place, modules: Modules): Place | undefined {
  const { node, module } = place;
  if (node.type === 'Identifier') return modules.find('constants', node['name'] as string, module);
  if (node.type.startsWith('TS') && 'expression' in node) {
    return resolve({ node: node['expression'] as Node, module }, modules);
  }
  const member = memberOf(place, modules);
  if (member !== undefined) return { node: member.node['value'] as Node, module: member.module };
  return node.type === 'MemberExpression' ? undefined : place;
}

/** Returns the property that an expression such as `shared.name` refers to. */
function memberOf({ node, module }: Place, modules: Modules): Place | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  const object = resolve({ node: node['object'] as Node, module }, modules);
  const wanted = keyName(node['property'] as Node);
  const properties = object?.node.type === 'ObjectExpression' ? (object.node['properties'] as Node[]) : [];
  const found = properties.find(({ type, key }) => type === 'ObjectProperty' && keyName(key as Node) === wanted);
  return object === undefined || found === undefined ? undefined : { node: found, module: object.module };
}

function keyName(key: Node): string {
  return String(key['name'] ?? key['value']);
}

/** Returns the text of the doc comment before a node. */
function commentOf(node: Node | undefined): string | undefined {
  const doc = node?.leadingComments?.findLast(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'));
  return doc === undefined ? undefined : textOf(doc.value.slice(1));
}

/** Removes the asterisks and joins the lines of a paragraph. Lines with an indent of four spaces stay unchanged. */
function textOf(comment: string): string {
  return comment
    .replace(/^[ \t]*\*[ \t]?/gm, '')
    .replace(/\r/g, '')
    .split(/\n[ \t]*\n/)
    .map((paragraph) => {
      const text = paragraph.replace(/^\s*\n/, '');
      return text.startsWith('    ') ? text.trimEnd() : text.replace(/\s+/g, ' ').trim();
    })
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}
