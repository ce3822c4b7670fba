/** Parses the tokens of a Go template, with Go's own error texts. */
import { type Token, type TokenKind, templateSyntaxError, tokenize } from './lexer.ts';
import type { BranchNode, CommandNode, GoTemplateNode, ListNode, Operand, PipeNode } from './nodes.ts';
import { unquote } from './quote.ts';

export interface ParsedTemplate {
  root: ListNode;
  /** The templates of `{{ define }}` and `{{ block }}`, by name. */
  definitions: Map<string, ListNode>;
}

/** The executor recurses, so deeper nesting could overflow the stack. */
const MAX_DEPTH = 200;

export function parse(source: string, functions: ReadonlySet<string>): ParsedTemplate {
  return new Parser(tokenize(source), functions).run();
}

type ListEnd = 'eof' | 'end' | 'else';

class Parser {
  #at = 0;
  #variables: string[] = ['$'];
  #rangeDepth = 0;
  #depth = 0;
  readonly definitions = new Map<string, ListNode>();

  constructor(
    readonly tokens: Token[],
    readonly functions: ReadonlySet<string>,
  ) {}

  run(): ParsedTemplate {
    const { list, end } = this.#list(true);
    if (end !== 'eof') throw this.#error(`unexpected {{${end}}}`);
    return { root: list, definitions: this.definitions };
  }

  /** Parses up to the end of the text, `{{end}}` or `{{else`. */
  #list(top = false): { list: ListNode; end: ListEnd } {
    if (++this.#depth > MAX_DEPTH) throw this.#error('too deeply nested');
    const nodes: GoTemplateNode[] = [];
    const list: ListNode = { kind: 'list', nodes };
    while (true) {
      const token = this.#next();
      if (token.kind === 'eof') {
        if (!top) throw templateSyntaxError(token.line, 'unexpected EOF');
        this.#depth--;
        return { list, end: 'eof' };
      }
      if (token.kind === 'text') {
        nodes.push({ kind: 'text', text: token.text });
        continue;
      }
      const first = this.#skipSpace();
      if (first.kind === 'keyword' && (first.text === 'end' || first.text === 'else')) {
        this.#next();
        if (first.text === 'end') this.#expect('right', 'end');
        this.#depth--;
        return { list, end: first.text };
      }
      const node = this.#action(first);
      if (node) nodes.push(node);
    }
  }

  #action(first: Token): GoTemplateNode | undefined {
    if (first.kind !== 'keyword') {
      const line = first.line;
      const pipe = this.#pipeline('command', 'right');
      return { kind: 'action', line, pipe };
    }
    this.#next();
    switch (first.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(first.text, first.line);
      case 'break':
      case 'continue':
        if (this.#rangeDepth === 0) throw this.#error(`{{${first.text}}} outside {{range}}`);
        this.#expect('right', first.text);
        return { kind: first.text, line: first.line };
      case 'define': {
        const name = this.#name('define');
        this.#expect('right', 'define clause');
        this.definitions.set(name, this.#definition());
        return undefined;
      }
      case 'template':
      case 'block': {
        const name = this.#name(`${first.text} clause`);
        let pipe: PipeNode | undefined;
        if (this.#skipSpace().kind === 'right') this.#next();
        else pipe = this.#pipeline(`${first.text} clause`, 'right');
        if (first.text === 'block') this.definitions.set(name, this.#definition());
        return { kind: 'template', line: first.line, name, ...(pipe && { pipe }) };
      }
      default:
        throw this.#error(`unexpected {{${first.text}}}`);
    }
  }

  #definition(): ListNode {
    const variables = this.#variables;
    const rangeDepth = this.#rangeDepth;
    this.#variables = ['$'];
    this.#rangeDepth = 0;
    const { list, end } = this.#list();
    if (end === 'else') throw this.#error('unexpected {{else}} in define clause');
    this.#variables = variables;
    this.#rangeDepth = rangeDepth;
    return list;
  }

  #branch(kind: BranchNode['kind'], line: number): BranchNode {
    const scope = this.#variables.length;
    const pipe = this.#pipeline(kind, 'right');
    if (kind === 'range') this.#rangeDepth++;
    const { list, end } = this.#list();
    if (kind === 'range') this.#rangeDepth--;
    const node: BranchNode = { kind, line, pipe, list };
    if (end === 'else') node.elseList = this.#elseList(kind);
    this.#variables.length = scope;
    return node;
  }

  #elseList(kind: BranchNode['kind']): ListNode {
    const next = this.#skipSpace();
    if (next.kind === 'keyword' && next.text === kind && kind !== 'range') {
      // `{{else if}}` and its outer branch share one `{{end}}`.
      this.#next();
      return { kind: 'list', nodes: [this.#branch(kind, next.line)] };
    }
    this.#expect('right', 'else');
    const { list, end } = this.#list();
    if (end === 'else') throw this.#error('expected end; found {{else}}');
    return list;
  }

  #name(context: string): string {
    const token = this.#nextNonSpace();
    if (token.kind !== 'string') throw this.#unexpected(token, context);
    return unquote(token.text);
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const pipe: PipeNode = {
      kind: 'pipe',
      line: this.#skipSpace().line,
      variables: [],
      assigns: false,
      commands: [],
    };
    this.#declarations(pipe, context);
    while (true) {
      const token = this.#nextNonSpace();
      if (token.kind === end) {
        if (pipe.commands.length === 0) throw this.#error(`missing value for ${context}`);
        this.#checkStages(pipe);
        return pipe;
      }
      if (!startsOperand(token)) throw this.#unexpected(token, context);
      this.#at--;
      pipe.commands.push(this.#command());
    }
  }

  #declarations(pipe: PipeNode, context: string): void {
    while (this.#skipSpace().kind === 'variable') {
      const start = this.#at;
      const variable = this.#next();
      const next = this.#nextNonSpace();
      if (next.kind === 'declare' || next.kind === 'assign') {
        pipe.assigns = next.kind === 'assign';
        pipe.variables.push(variable.text);
        if (next.kind === 'declare') this.#variables.push(...pipe.variables);
        else for (const name of pipe.variables) this.#requireVariable(name);
        return;
      }
      if (next.kind === 'comma') {
        if (context === 'range' && pipe.variables.length < 1) {
          pipe.variables.push(variable.text);
          continue;
        }
        throw this.#error(`too many declarations in ${context}`);
      }
      if (pipe.variables.length > 0) throw this.#error('range can only initialize variables');
      this.#at = start;
      return;
    }
  }

  #checkStages(pipe: PipeNode): void {
    for (const [index, command] of pipe.commands.entries()) {
      const first = command.operands[0]!;
      if (index > 0 && (first.kind === 'literal' || first.kind === 'dot' || first.kind === 'nil')) {
        throw this.#error(`non executable command in pipeline stage ${index + 1}`);
      }
    }
  }

  #command(): CommandNode {
    const operands: Operand[] = [];
    while (true) {
      this.#skipSpace();
      const operand = this.#operand();
      if (operand) operands.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'right' || token.kind === 'rightParen') this.#at--;
      else if (token.kind !== 'pipe') throw this.#unexpected(token, 'operand');
      break;
    }
    if (operands.length === 0) throw this.#error('empty command');
    return { kind: 'command', operands };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (!node) return undefined;
    const path: string[] = [];
    while (this.#peek().kind === 'field') path.push(this.#next().text.slice(1));
    if (path.length === 0) return node;
    if (node.kind === 'field' || node.kind === 'variable') return { ...node, path: [...node.path, ...path] };
    if (node.kind === 'literal' || node.kind === 'nil') {
      throw this.#error(
        `unexpected . after term ${JSON.stringify(node.kind === 'nil' ? 'nil' : node.source)}`,
      );
    }
    return { kind: 'chain', node, path };
  }

  #term(): Operand | undefined {
    const token = this.#next();
    const { text } = token;
    switch (token.kind) {
      case 'identifier':
        if (!this.functions.has(text)) throw this.#error(`function ${JSON.stringify(text)} not defined`);
        return { kind: 'identifier', name: text };
      case 'dot':
        return { kind: 'dot' };
      case 'nil':
        return { kind: 'nil' };
      case 'variable':
        this.#requireVariable(text);
        return { kind: 'variable', name: text, path: [] };
      case 'field':
        return { kind: 'field', path: [text.slice(1)] };
      case 'bool':
        return { kind: 'literal', value: text === 'true', source: text };
      case 'number':
        return { kind: 'literal', value: Number(text.replaceAll('_', '')), source: text };
      case 'character':
        return { kind: 'literal', value: unquote(text).codePointAt(0) ?? 0, source: text };
      case 'string':
        return { kind: 'literal', value: unquote(text), source: text };
      case 'leftParen':
        if (++this.#depth > MAX_DEPTH) throw this.#error('too deeply nested');
        try {
          return this.#pipeline('parenthesized pipeline', 'rightParen');
        } finally {
          this.#depth--;
        }
      default:
        this.#at--;
        return undefined;
    }
  }

  #requireVariable(name: string): void {
    if (!this.#variables.includes(name)) throw this.#error(`undefined variable ${JSON.stringify(name)}`);
  }

  #expect(kind: TokenKind, context: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== kind) throw this.#unexpected(token, context);
  }

  #next(): Token {
    return this.tokens[Math.min(this.#at++, this.tokens.length - 1)]!;
  }
  #peek(): Token {
    return this.tokens[Math.min(this.#at, this.tokens.length - 1)]!;
  }
  #nextNonSpace(): Token {
    this.#skipSpace();
    return this.#next();
  }
  /** Moves to the next token that is not space, and returns it without reading it. */
  #skipSpace(): Token {
    while (this.#peek().kind === 'space') this.#at++;
    return this.#peek();
  }

  #error(message: string) {
    return templateSyntaxError(
      this.tokens[Math.max(0, Math.min(this.#at, this.tokens.length) - 1)]!.line,
      message,
    );
  }
  #unexpected(token: Token, context: string) {
    const isBracketed = token.kind === 'keyword' || token.kind === 'dot' || token.kind === 'nil';
    const text = isBracketed ? `<${token.text}>` : JSON.stringify(token.text);
    return templateSyntaxError(token.line, `unexpected ${token.kind === 'eof' ? 'EOF' : text} in ${context}`);
  }
}

function startsOperand(token: Token): boolean {
  return [
    'bool',
    'character',
    'dot',
    'field',
    'identifier',
    'number',
    'nil',
    'string',
    'variable',
    'leftParen',
  ].includes(token.kind);
}
