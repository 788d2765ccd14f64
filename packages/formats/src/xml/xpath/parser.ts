import { type Axis, type BinaryOperator, type NodeTest, type Step, type Syntax, XPathError } from './syntax.ts';
import { type Token, tokenize } from './tokens.ts';

const AXES: ReadonlySet<string> = new Set<Axis>([
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'namespace',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
]);
const NODE_TYPES = new Set(['node', 'text', 'comment', 'processing-instruction']);

/** The operators by precedence, lowest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['=', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', 'div', 'mod'],
];

const ANY_NODE: Step = { axis: 'descendant-or-self', test: { kind: 'node' }, predicates: [] };
/** The maximum depth of an expression. Deeper expressions would exhaust the stack during evaluation. */
const MAX_DEPTH = 100;

/** A parsed expression, and its prefixes that no namespace has. */
export interface ParsedXPath {
  readonly syntax: Syntax;
  readonly unbound: readonly string[];
}

/** Parses an XPath 1.0 expression. Throws `XPathError` with the problem and its position. */
export function parseXPath(expression: string, namespaces: ReadonlyMap<string, string>): ParsedXPath {
  const parser = new Parser(tokenize(expression), namespaces);
  return { syntax: parser.parse(), unbound: [...parser.unbound] };
}

class Parser {
  readonly unbound = new Set<string>();
  readonly #tokens: readonly Token[];
  readonly #namespaces: ReadonlyMap<string, string>;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], namespaces: ReadonlyMap<string, string>) {
    this.#tokens = tokens;
    this.#namespaces = namespaces;
  }

  parse(): Syntax {
    const syntax = this.#expression();
    if (this.#token.type !== 'end') throw this.#unexpected('an operator or the end');
    return syntax;
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get #next(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  #is(text: string): boolean {
    const { type } = this.#token;
    return (type === 'symbol' || type === 'operator') && this.#token.text === text;
  }

  #skip(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw this.#unexpected(`"${text}"`);
  }

  #unexpected(wanted: string): XPathError {
    const { type, text, at } = this.#token;
    const found =
      type === 'end' ? 'the expression ends' : `found ${type === 'literal' ? text : `"${text}"`} at ${at + 1}`;
    return new XPathError(`${wanted} was expected, but ${found}`);
  }

  #expression(): Syntax {
    if (++this.#depth > MAX_DEPTH) throw new XPathError(`the expression is nested more than ${MAX_DEPTH} deep`);
    const syntax = this.#binary(0);
    this.#depth--;
    return syntax;
  }

  #binary(level: number): Syntax {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let length = 0; this.#token.type === 'operator' && operators.includes(this.#token.text); length++) {
      if (length > MAX_DEPTH) throw new XPathError(`more than ${MAX_DEPTH} operators follow each other`);
      const operator = this.#token.text as BinaryOperator;
      this.#at++;
      left = { type: 'binary', operator, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #unary(): Syntax {
    let negations = 0;
    while (this.#skip('-')) negations++;
    let operand = this.#union();
    if (negations > 0) operand = { type: 'negation', operand };
    return negations > 0 && negations % 2 === 0 ? { type: 'negation', operand } : operand;
  }

  #union(): Syntax {
    let left = this.#path();
    for (let length = 0; this.#skip('|'); length++) {
      if (length > MAX_DEPTH) throw new XPathError(`more than ${MAX_DEPTH} paths are united`);
      left = { type: 'binary', operator: '|', left, right: this.#path() };
    }
    return left;
  }

  #path(): Syntax {
    if (this.#is('/') || this.#is('//')) {
      const steps: Step[] = [];
      if (this.#skip('//')) {
        steps.push(ANY_NODE);
        this.#relative(steps);
      } else {
        this.#at++;
        if (this.#startsStep()) this.#relative(steps);
      }
      return { type: 'path', from: 'root', steps };
    }
    if (this.#startsPrimary()) {
      let operand = this.#primary();
      const predicates = this.#predicates();
      if (predicates.length > 0) operand = { type: 'filter', operand, predicates };
      if (!this.#is('/') && !this.#is('//')) return operand;
      const steps: Step[] = [];
      this.#moreSteps(steps);
      return { type: 'path', from: operand, steps };
    }
    const steps: Step[] = [];
    this.#relative(steps);
    return { type: 'path', from: undefined, steps };
  }

  #relative(steps: Step[]): void {
    steps.push(this.#step());
    this.#moreSteps(steps);
  }

  #moreSteps(steps: Step[]): void {
    for (;;) {
      if (this.#skip('//')) steps.push(ANY_NODE);
      else if (!this.#skip('/')) return;
      steps.push(this.#step());
    }
  }

  #startsStep(): boolean {
    return this.#token.type === 'name' || this.#is('.') || this.#is('..') || this.#is('@');
  }

  #startsPrimary(): boolean {
    const { type, text } = this.#token;
    if (type === 'literal' || type === 'number' || this.#is('(') || this.#is('$')) return true;
    return type === 'name' && !NODE_TYPES.has(text) && this.#next?.text === '(';
  }

  #primary(): Syntax {
    const { type, text } = this.#token;
    if (this.#is('$')) throw new XPathError('variables have no value here');
    this.#at++;
    if (type === 'number') return { type: 'literal', value: Number(text) };
    if (type === 'literal') return { type: 'literal', value: text.slice(1, -1) };
    if (text === '(') {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    this.#expect('(');
    const args: Syntax[] = [];
    if (!this.#is(')')) {
      do args.push(this.#expression());
      while (this.#skip(','));
    }
    this.#expect(')');
    return { type: 'call', name: text, args };
  }

  #step(): Step {
    if (this.#skip('.')) return { axis: 'self', test: { kind: 'node' }, predicates: [] };
    if (this.#skip('..')) return { axis: 'parent', test: { kind: 'node' }, predicates: [] };
    let axis: Axis = 'child';
    if (this.#skip('@')) axis = 'attribute';
    else if (this.#token.type === 'name' && this.#next?.text === '::') {
      const { text } = this.#token;
      if (!AXES.has(text)) throw new XPathError(`there is no axis "${text}"`);
      axis = text as Axis;
      this.#at += 2;
    }
    if (this.#token.type !== 'name') throw this.#unexpected('a step (a name, "*", "@", "." or "..")');
    const test = this.#nodeTest();
    return { axis, test, predicates: this.#predicates() };
  }

  #nodeTest(): NodeTest {
    const { text } = this.#token;
    this.#at++;
    if (NODE_TYPES.has(text) && this.#skip('(')) {
      if (text !== 'processing-instruction') {
        this.#expect(')');
        return { kind: text as 'node' | 'text' | 'comment' };
      }
      const name = this.#token.type === 'literal' ? this.#token.text.slice(1, -1) : undefined;
      if (name !== undefined) this.#at++;
      this.#expect(')');
      return { kind: 'instruction', name };
    }
    if (text === '*') return { kind: 'name', name: undefined };
    const colon = text.indexOf(':');
    return colon < 0 ? { kind: 'name', name: text } : this.#qualified(text.slice(0, colon), text.slice(colon + 1));
  }

  #qualified(prefix: string, local: string): NodeTest {
    const namespace = this.#namespaces.get(prefix);
    if (namespace === undefined) {
      this.unbound.add(prefix);
      return { kind: 'nothing' };
    }
    return { kind: 'qualified', prefix, namespace, name: local === '*' ? undefined : local };
  }

  #predicates(): Syntax[] {
    const predicates: Syntax[] = [];
    while (this.#skip('[')) {
      predicates.push(this.#expression());
      this.#expect(']');
    }
    return predicates;
  }
}
