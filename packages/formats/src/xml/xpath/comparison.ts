import type { XmlNode } from '../xml-tree.ts';
import type { BinaryOperator } from './syntax.ts';
import { type Expression, toBoolean, toNumber, toText, type XPathType, type XPathValue } from './values.ts';

export type Comparison = Extract<BinaryOperator, '=' | '!=' | '<' | '<=' | '>' | '>='>;
type Scalar = string | number | boolean;

/**
 * Compares as XPath 1.0 defines. Nodes are compared one by one, and one matching node or pair is enough. If one side is
 * a boolean, the other is converted to a boolean. Otherwise, if one side is a number, the other is converted to a
 * number. Less and greater always compare numbers.
 */
export function compare(operator: Comparison, left: Expression, right: Expression): Expression['evaluate'] {
  const test = TESTS[operator];
  if (left.type !== 'nodes' && right.type !== 'nodes') {
    const convert = conversion(operator, left.type, right.type);
    return (node, position, size) =>
      test(convert(left.evaluate(node, position, size)), convert(right.evaluate(node, position, size)));
  }
  if (left.type === 'boolean' || right.type === 'boolean') {
    return (node, position, size) =>
      test(toBoolean(left.evaluate(node, position, size)), toBoolean(right.evaluate(node, position, size)));
  }
  // The texts of nodes are strings.
  const convert = conversion(
    operator,
    left.type === 'nodes' ? 'string' : left.type,
    right.type === 'nodes' ? 'string' : right.type,
  );
  if (operator === '=' && left.type === right.type) {
    return (node, position, size) => {
      const rights = new Set(operands(right.evaluate(node, position, size), toText));
      return operands(left.evaluate(node, position, size), toText).some((text) => rights.has(text));
    };
  }
  return (node, position, size) => {
    const rights = operands(right.evaluate(node, position, size), convert);
    for (const one of operands(left.evaluate(node, position, size), convert)) {
      for (const other of rights) if (test(one, other)) return true;
    }
    return false;
  };
}

const TESTS: Readonly<Record<Comparison, (left: Scalar, right: Scalar) => boolean>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function conversion(operator: Comparison, left: XPathType, right: XPathType): (value: XPathValue) => Scalar {
  if (operator !== '=' && operator !== '!=') return toNumber;
  if (left === 'boolean' || right === 'boolean') return toBoolean;
  return left === 'number' || right === 'number' ? toNumber : toText;
}

function operands(value: XPathValue, convert: (value: XPathValue) => Scalar): Scalar[] {
  return typeof value === 'object' ? value.map((node: XmlNode) => convert(node.text)) : [convert(value)];
}
