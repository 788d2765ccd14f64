import { attributeOf, type XmlNode } from '../xml-tree.ts';
import { XPathError } from './syntax.ts';
import { type Expression, toBoolean, toNumber, toText, type XPathType } from './values.ts';

interface FunctionRule {
  readonly least: number;
  readonly most: number;
  readonly type: XPathType;
  /** True if the first argument must be nodes. */
  readonly nodes?: boolean;
  readonly positional?: boolean;
  evaluate(args: readonly Expression[]): Expression['evaluate'];
}

/** Compiles a function call. Throws `XPathError` for unknown functions and wrong arguments. */
export function compileCall(name: string, args: readonly Expression[]): Expression {
  if (!Object.hasOwn(FUNCTIONS, name)) throw new XPathError(`there is no function "${name}"`);
  const rule = FUNCTIONS[name] as FunctionRule;
  const { least, most } = rule;
  if (args.length < least || args.length > most) {
    const wanted =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    throw new XPathError(`${name}() takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}`);
  }
  if (rule.nodes && args[0] !== undefined && args[0].type !== 'nodes') {
    throw new XPathError(`${name}() takes nodes, not a ${args[0].type}`);
  }
  const positional = rule.positional === true || args.some((arg) => arg.positional);
  return { type: rule.type, positional, evaluate: rule.evaluate(args) };
}

const FUNCTIONS: Readonly<Record<string, FunctionRule>> = {
  last: { least: 0, most: 0, type: 'number', positional: true, evaluate: () => (_node, _position, size) => size },
  position: { least: 0, most: 0, type: 'number', positional: true, evaluate: () => (_node, position) => position },
  count: {
    least: 1,
    most: 1,
    type: 'number',
    nodes: true,
    evaluate:
      ([arg]) =>
      (node, position, size) =>
        ((arg as Expression).evaluate(node, position, size) as XmlNode[]).length,
  },
  // Only a document type defines id attributes, and document types are not read.
  id: { least: 1, most: 1, type: 'nodes', evaluate: () => () => [] },
  name: ofNode((node) => node.name),
  'local-name': ofNode((node) => node.name.slice(node.name.indexOf(':') + 1)),
  'namespace-uri': ofNode(() => ''),
  string: {
    least: 0,
    most: 1,
    type: 'string',
    evaluate: ([arg]) => {
      if (arg === undefined) return (node) => node.text;
      return (node, position, size) => toText(arg.evaluate(node, position, size));
    },
  },
  concat: {
    least: 2,
    most: Number.POSITIVE_INFINITY,
    type: 'string',
    evaluate: (args) => (node, position, size) => {
      let text = '';
      for (const arg of args) text += toText(arg.evaluate(node, position, size));
      return text;
    },
  },
  'starts-with': ofTexts('boolean', 2, (text, start) => text.startsWith(start)),
  contains: ofTexts('boolean', 2, (text, part) => text.includes(part)),
  'substring-before': ofTexts('string', 2, (text, mark) => text.slice(0, Math.max(text.indexOf(mark), 0))),
  'substring-after': ofTexts('string', 2, (text, mark) => {
    const at = text.indexOf(mark);
    return at < 0 ? '' : text.slice(at + mark.length);
  }),
  substring: {
    least: 2,
    most: 3,
    type: 'string',
    evaluate:
      ([text, start, length]) =>
      (node, position, size) => {
        const from = round(toNumber((start as Expression).evaluate(node, position, size)));
        const count =
          length === undefined ? Number.POSITIVE_INFINITY : round(toNumber(length.evaluate(node, position, size)));
        const to = from + count;
        // NaN: no position is in the range.
        if (Number.isNaN(from) || Number.isNaN(to)) return '';
        const whole = toText((text as Expression).evaluate(node, position, size));
        return whole.slice(Math.max(from - 1, 0), Math.max(to - 1, 0));
      },
  },
  'string-length': ofText('number', (text) => text.length),
  'normalize-space': ofText('string', (text) => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')),
  translate: ofTexts('string', 3, (text, from, to) => {
    let result = '';
    for (const char of text) {
      const at = from.indexOf(char);
      result += at < 0 ? char : to.slice(at, at + char.length);
    }
    return result;
  }),
  boolean: {
    least: 1,
    most: 1,
    type: 'boolean',
    evaluate:
      ([arg]) =>
      (node, position, size) =>
        toBoolean((arg as Expression).evaluate(node, position, size)),
  },
  not: {
    least: 1,
    most: 1,
    type: 'boolean',
    evaluate:
      ([arg]) =>
      (node, position, size) =>
        !toBoolean((arg as Expression).evaluate(node, position, size)),
  },
  true: { least: 0, most: 0, type: 'boolean', evaluate: () => () => true },
  false: { least: 0, most: 0, type: 'boolean', evaluate: () => () => false },
  lang: {
    least: 1,
    most: 1,
    type: 'boolean',
    evaluate:
      ([arg]) =>
      (node, position, size) => {
        const wanted = toText((arg as Expression).evaluate(node, position, size)).toLowerCase();
        for (let at: XmlNode | undefined = node; at !== undefined; at = at.parent) {
          const language = at.kind === 'element' ? attributeOf(at, 'xml:lang')?.toLowerCase() : undefined;
          if (language !== undefined) return language === wanted || language.startsWith(`${wanted}-`);
        }
        return false;
      },
  },
  number: {
    least: 0,
    most: 1,
    type: 'number',
    evaluate: ([arg]) => {
      if (arg === undefined) return (node) => toNumber(node.text);
      return (node, position, size) => toNumber(arg.evaluate(node, position, size));
    },
  },
  sum: {
    least: 1,
    most: 1,
    type: 'number',
    nodes: true,
    evaluate:
      ([arg]) =>
      (node, position, size) => {
        let sum = 0;
        for (const item of (arg as Expression).evaluate(node, position, size) as XmlNode[]) sum += toNumber(item.text);
        return sum;
      },
  },
  floor: ofNumber(Math.floor),
  ceiling: ofNumber(Math.ceil),
  round: ofNumber(round),
};

/** Returns the nearest whole number, or the greater one of two equally near numbers. */
function round(value: number): number {
  return Math.floor(value + 0.5);
}

/** Returns the rule of a function of a node: the first node of the argument, else the context node. */
function ofNode(text: (node: XmlNode) => string): FunctionRule {
  return {
    least: 0,
    most: 1,
    type: 'string',
    nodes: true,
    evaluate: ([arg]) => {
      if (arg === undefined) return text;
      return (node, position, size) => {
        const [first] = arg.evaluate(node, position, size) as XmlNode[];
        return first === undefined ? '' : text(first);
      };
    },
  };
}

/**
 * Returns the rule of a function with one optional text argument. Without an argument, the function uses the text of
 * the context node.
 */
function ofText(type: XPathType, apply: (text: string) => string | number): FunctionRule {
  return {
    least: 0,
    most: 1,
    type,
    evaluate: ([arg]) => {
      if (arg === undefined) return (node) => apply(node.text);
      return (node, position, size) => apply(toText(arg.evaluate(node, position, size)));
    },
  };
}

function ofTexts(
  type: XPathType,
  count: 2 | 3,
  apply: (first: string, second: string, third: string) => string | boolean,
): FunctionRule {
  return {
    least: count,
    most: count,
    type,
    evaluate:
      ([first, second, third]) =>
      (node, position, size) =>
        apply(
          toText((first as Expression).evaluate(node, position, size)),
          toText((second as Expression).evaluate(node, position, size)),
          third === undefined ? '' : toText(third.evaluate(node, position, size)),
        ),
  };
}

function ofNumber(apply: (value: number) => number): FunctionRule {
  return {
    least: 1,
    most: 1,
    type: 'number',
    evaluate:
      ([arg]) =>
      (node, position, size) =>
        apply(toNumber((arg as Expression).evaluate(node, position, size))),
  };
}
