import { ATTRIBUTE, COMMENT, ELEMENT, INSTRUCTION, NAMESPACE, TEXT, type XmlNode, type XmlTree } from '../xml-tree.ts';
import { type NodeMatch, REVERSE, WALKS } from './axes.ts';
import { type Comparison, compare } from './comparison.ts';
import { compileCall } from './functions.ts';
import { type Axis, type NodeTest, type Step, type Syntax, XPathError } from './syntax.ts';
import { type Expression, toBoolean, toNumber } from './values.ts';

/**
 * Compiles a parsed expression to functions. Throws `XPathError` for unknown functions and operands of a wrong type.
 */
export function compile(syntax: Syntax): Expression {
  switch (syntax.type) {
    case 'literal': {
      const { value } = syntax;
      return { type: typeof value as 'string' | 'number', positional: false, evaluate: () => value };
    }
    case 'negation': {
      const operand = compile(syntax.operand);
      return {
        type: 'number',
        positional: operand.positional,
        evaluate: (node, position, size) => -toNumber(operand.evaluate(node, position, size)),
      };
    }
    case 'call':
      return compileCall(syntax.name, syntax.args.map(compile));
    case 'binary':
      return compileBinary(syntax);
    case 'filter': {
      const operand = nodesOf(syntax.operand, 'a predicate');
      const filters = syntax.predicates.map(compile).map(filterOf);
      return {
        type: 'nodes',
        positional: operand.positional,
        evaluate: (node, position, size) =>
          applyFilters(filters, [...(operand.evaluate(node, position, size) as XmlNode[])]),
      };
    }
    case 'path':
      return compilePath(syntax);
  }
}

function compileBinary({ operator, left, right }: Extract<Syntax, { type: 'binary' }>): Expression {
  if (operator === '|') return compileUnion(nodesOf(left, '|'), nodesOf(right, '|'));
  const first = compile(left);
  const second = compile(right);
  const positional = first.positional || second.positional;
  if (operator === 'or' || operator === 'and') {
    const decisive = operator === 'or';
    return {
      type: 'boolean',
      positional,
      evaluate: (node, position, size) =>
        toBoolean(first.evaluate(node, position, size)) === decisive
          ? decisive
          : toBoolean(second.evaluate(node, position, size)),
    };
  }
  if (Object.hasOwn(ARITHMETIC, operator)) {
    const apply = ARITHMETIC[operator as keyof typeof ARITHMETIC];
    return {
      type: 'number',
      positional,
      evaluate: (node, position, size) =>
        apply(toNumber(first.evaluate(node, position, size)), toNumber(second.evaluate(node, position, size))),
    };
  }
  return { type: 'boolean', positional, evaluate: compare(operator as Comparison, first, second) };
}

const ARITHMETIC = {
  '+': (left: number, right: number) => left + right,
  '-': (left: number, right: number) => left - right,
  '*': (left: number, right: number) => left * right,
  div: (left: number, right: number) => left / right,
  mod: (left: number, right: number) => left % right,
};

function compileUnion(left: Expression, right: Expression): Expression {
  return {
    type: 'nodes',
    positional: left.positional || right.positional,
    evaluate: (node, position, size) =>
      inOrder([
        ...(left.evaluate(node, position, size) as XmlNode[]),
        ...(right.evaluate(node, position, size) as XmlNode[]),
      ]),
  };
}

function nodesOf(syntax: Syntax, what: string): Expression {
  const expression = compile(syntax);
  if (expression.type === 'nodes') return expression;
  throw new XPathError(`${what} needs nodes, not a ${expression.type}`);
}

type CompiledStep = (node: XmlNode, found: XmlNode[]) => void;

function compilePath({ from, steps }: Extract<Syntax, { type: 'path' }>): Expression {
  const compiled = compileSteps(steps);
  if (from === undefined || from === 'root') {
    const evaluate = (node: XmlNode) => walk([from === 'root' ? node.tree.node(0) : node], compiled);
    return { type: 'nodes', positional: false, evaluate };
  }
  const start = nodesOf(from, 'a path');
  return {
    type: 'nodes',
    positional: start.positional,
    evaluate: (node, position, size) => walk(start.evaluate(node, position, size) as XmlNode[], compiled),
  };
}

function compileSteps(steps: readonly Step[]): CompiledStep[] {
  const result: CompiledStep[] = [];
  let anywhere = false;
  for (const { axis, test, predicates } of steps) {
    const compiled = predicates.map(compile);
    // `//name` is one walk, unless a predicate needs the position among the children of each node.
    const deep = anywhere && axis === 'child' && !compiled.some(asksForPosition);
    if (deep) result.pop();
    result.push(compileStep(deep ? 'descendant' : axis, test, compiled));
    anywhere = axis === 'descendant-or-self' && test.kind === 'node' && predicates.length === 0;
  }
  return result;
}

function walk(start: readonly XmlNode[], steps: readonly CompiledStep[]): readonly XmlNode[] {
  let current = start;
  for (const step of steps) {
    const found: XmlNode[] = [];
    for (const node of current) step(node, found);
    current = current.length > 1 ? inOrder(found) : found;
  }
  return current;
}

function compileStep(axis: Axis, test: NodeTest, predicates: readonly Expression[]): CompiledStep {
  const matches = compileTest(axis, test);
  const add = WALKS[axis];
  const reverse = REVERSE.has(axis);
  if (predicates.length === 0 && !reverse) return (node, found) => add(node, matches, found);
  const filters = predicates.map(filterOf);
  return (node, found) => {
    const candidates: XmlNode[] = [];
    add(node, matches, candidates);
    const kept = applyFilters(filters, candidates);
    if (reverse) kept.reverse();
    for (const one of kept) found.push(one);
  };
}

function compileTest(axis: Axis, test: NodeTest): NodeMatch {
  switch (test.kind) {
    case 'nothing':
      return () => false;
    case 'node':
      return () => true;
    case 'text':
      return (tree, at) => tree.kindAt(at) === TEXT;
    case 'comment':
      return (tree, at) => tree.kindAt(at) === COMMENT;
    case 'instruction':
      return matchOf(INSTRUCTION, test.name);
    case 'qualified':
      return axis === 'namespace' ? () => false : matchQualified(axis === 'attribute' ? ATTRIBUTE : ELEMENT, test);
    case 'name':
      return matchOf(axis === 'attribute' ? ATTRIBUTE : axis === 'namespace' ? NAMESPACE : ELEMENT, test.name);
  }
}

function matchOf(kind: number, name: string | undefined): NodeMatch {
  if (name === undefined) return (tree, at) => tree.kindAt(at) === kind;
  return (tree, at) => tree.kindAt(at) === kind && tree.nameAt(at) === name;
}

/**
 * Matches names in a namespace, with any prefix. If the text does not declare the prefix of a name, the prefixes are
 * compared as written: an element that was cut from its document has lost the declarations around it.
 */
function matchQualified(
  kind: number,
  { prefix, namespace, name }: Extract<NodeTest, { kind: 'qualified' }>,
): NodeMatch {
  return (tree, at) => {
    if (tree.kindAt(at) !== kind) return false;
    const written = tree.nameAt(at);
    const colon = written.indexOf(':');
    if (name !== undefined && written.slice(colon + 1) !== name) return false;
    // An attribute without a prefix is in no namespace.
    if (colon < 0 && kind === ATTRIBUTE) return false;
    const itsPrefix = colon < 0 ? '' : written.slice(0, colon);
    const declared = namespaceOf(tree, kind === ATTRIBUTE ? tree.parentAt(at) : at, itsPrefix);
    return declared === undefined ? itsPrefix === prefix : declared === namespace;
  };
}

/** Returns the namespace of a prefix at an element, or undefined if it is not declared. */
function namespaceOf(tree: XmlTree, element: number, prefix: string): string | undefined {
  for (let at = element; at >= 0; at = tree.parentAt(at)) {
    for (let i = at + 1; i < tree.endAt(at) && tree.kindAt(i) === NAMESPACE; i++) {
      if (tree.nameAt(i) === prefix) return tree.valueAt(i);
    }
  }
  return undefined;
}

type Filter = (node: XmlNode, position: number, size: number) => boolean;

function filterOf(predicate: Expression): Filter {
  if (predicate.type === 'number') {
    return (node, position, size) => predicate.evaluate(node, position, size) === position;
  }
  return (node, position, size) => toBoolean(predicate.evaluate(node, position, size));
}

function asksForPosition(predicate: Expression): boolean {
  return predicate.positional || predicate.type === 'number';
}

/** Applies filters in sequence, in place: each filter uses the positions in the result of the previous one. */
function applyFilters(filters: readonly Filter[], nodes: XmlNode[]): XmlNode[] {
  for (const filter of filters) {
    const size = nodes.length;
    let kept = 0;
    for (let i = 0; i < size; i++) {
      const node = nodes[i] as XmlNode;
      if (filter(node, i + 1, size)) nodes[kept++] = node;
    }
    nodes.length = kept;
  }
  return nodes;
}

/** Returns the nodes in document order, without duplicates. */
function inOrder(nodes: XmlNode[]): XmlNode[] {
  let sorted = true;
  for (let i = 1; i < nodes.length && sorted; i++) {
    sorted = (nodes[i - 1] as XmlNode).at < (nodes[i] as XmlNode).at;
  }
  if (sorted) return nodes;
  nodes.sort((left, right) => left.at - right.at);
  return nodes.filter(({ at }, i) => at !== nodes[i - 1]?.at);
}
