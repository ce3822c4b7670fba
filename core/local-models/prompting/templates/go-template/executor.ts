import { fixedArity, type TemplateFunction } from './functions.ts';
import { TemplateError } from './lexer.ts';
import type { BranchNode, CommandNode, GoTemplateNode, ListNode, Operand, PipeNode } from './nodes.ts';
import type { ParsedTemplate } from './parser.ts';
import { GoStruct, isTrue, printResult, sortedEntries, typeName, type Value } from './values.ts';

const MAX_STEPS = 5_000_000;
const MAX_MILLISECONDS = 2_000;
const MAX_OUTPUT = 16 * 2 ** 20;
/** A text that a function reads or writes costs one step for this many characters. */
const CHARACTERS_A_STEP = 64;
const MAX_TEMPLATE_DEPTH = 100;

/** `{{break}}` and `{{continue}}` throw these. */
const BREAK = Symbol('break');
const CONTINUE = Symbol('continue');

/**
 * Runs a parsed template. Templates are untrusted: steps, time and output are bounded.
 * @throws TemplateError with Go's text, or when a limit is exceeded
 */
export function execute(
  template: ParsedTemplate,
  functions: Readonly<Record<string, TemplateFunction>>,
  data: Value,
): string {
  const executor = new Executor(template, functions);
  executor.run(template.root, data);
  return executor.output;
}

class Executor {
  output = '';
  #steps = 0;
  readonly #end = performance.now() + MAX_MILLISECONDS;
  #line = 1;
  #depth = 0;
  #scope: { name: string; value: Value }[] = [];

  constructor(
    readonly template: ParsedTemplate,
    readonly functions: Readonly<Record<string, TemplateFunction>>,
  ) {}

  run(list: ListNode, data: Value): void {
    const outer = this.#scope;
    this.#scope = [{ name: '$', value: data }];
    this.#list(list, data);
    this.#scope = outer;
  }

  #fail(message: string): never {
    throw new TemplateError(`template: :${this.#line}: executing "" : ${message}`);
  }

  #step(steps = 1): void {
    const before = this.#steps;
    this.#steps += steps;
    // Reads the clock once in 1,024 steps.
    if (this.#steps > MAX_STEPS) this.#fail('the template takes too many steps');
    if (this.#steps >> 10 !== before >> 10 && performance.now() > this.#end) {
      this.#fail('the template takes too long');
    }
  }

  /** Adds the cost of a text that a function reads or returns. Other values cost nothing. */
  #charge(value: Value): Value {
    if (typeof value !== 'string') return value;
    if (value.length > MAX_OUTPUT) this.#fail('the template writes too much text');
    this.#step(Math.ceil(value.length / CHARACTERS_A_STEP));
    return value;
  }

  #write(text: string): void {
    this.output += text;
    if (this.output.length > MAX_OUTPUT) this.#fail('the template writes too much text');
  }

  #list(list: ListNode, dot: Value): void {
    for (const node of list.nodes) this.#node(node, dot);
  }

  #node(node: GoTemplateNode, dot: Value): void {
    this.#step();
    if (node.kind === 'text') this.#write(node.text);
    else if (node.kind === 'list') this.#list(node, dot);
    else if (node.kind === 'action') {
      this.#line = node.line;
      const value = this.#pipe(node.pipe, dot);
      if (node.pipe.variables.length === 0) this.#write(printResult(value));
    } else if (node.kind === 'break' || node.kind === 'continue') {
      throw node.kind === 'break' ? BREAK : CONTINUE;
    } else if (node.kind === 'template') {
      this.#call(node.name, node.line, node.pipe ? this.#pipe(node.pipe, dot) : undefined);
    } else this.#branch(node, dot);
  }

  #call(name: string, line: number, data: Value): void {
    this.#line = line;
    const list = this.template.definitions.get(name);
    if (!list) this.#fail(`template ${JSON.stringify(name)} not defined`);
    if (++this.#depth > MAX_TEMPLATE_DEPTH) this.#fail('exceeded maximum template depth');
    this.run(list, data);
    this.#depth--;
  }

  #branch(node: BranchNode, dot: Value): void {
    this.#line = node.line;
    const outerLength = this.#scope.length;
    if (node.kind === 'range') this.#range(node, dot);
    else {
      const value = this.#pipe(node.pipe, dot);
      if (isTrue(value)) this.#list(node.list, node.kind === 'with' ? value : dot);
      else if (node.elseList) this.#list(node.elseList, dot);
    }
    this.#scope.length = outerLength;
  }

  #range(node: BranchNode, dot: Value): void {
    const { variables, assigns } = node.pipe;
    const value = this.#pipe({ ...node.pipe, variables: [] }, dot);
    const entries = this.#entries(value);
    const outerLength = this.#scope.length;
    let isEmpty = true;
    for (const [key, entry] of entries) {
      isEmpty = false;
      this.#step();
      const values = variables.length === 1 ? [entry] : [key, entry];
      for (const [index, name] of variables.entries()) this.#bind(name, values[index], assigns);
      try {
        this.#list(node.list, entry);
      } catch (error) {
        if (error === BREAK) break;
        if (error !== CONTINUE) throw error;
      } finally {
        this.#scope.length = outerLength;
      }
    }
    if (isEmpty && node.elseList) this.#list(node.elseList, dot);
  }

  #entries(value: Value): Iterable<[Value, Value]> {
    if (Array.isArray(value)) return value.entries();
    if (value instanceof Map) return sortedEntries(value);
    if (value === null || value === undefined) return [];
    if (typeof value === 'number' && Number.isInteger(value)) return counting(value);
    this.#fail(`range can't iterate over ${printResult(value)}`);
  }

  #bind(name: string, value: Value, assigns: boolean): void {
    if (!assigns) {
      this.#scope.push({ name, value });
      return;
    }
    const variable = this.#scope.findLast((entry) => entry.name === name);
    if (!variable) this.#fail(`undefined variable: ${name}`);
    variable.value = value;
  }

  #pipe(pipe: PipeNode, dot: Value): Value {
    let value: Value;
    for (const [index, command] of pipe.commands.entries()) {
      value = this.#command(command, dot, index === 0 ? [] : [value]);
    }
    for (const name of pipe.variables) this.#bind(name, value, pipe.assigns);
    return value;
  }

  #command(command: CommandNode, dot: Value, final: Value[]): Value {
    this.#step();
    const [first, ...rest] = command.operands as [Operand, ...Operand[]];
    if (first.kind === 'identifier') return this.#function(first.name, rest, dot, final);
    if (first.kind === 'nil') this.#fail('nil is not a command');
    if (rest.length > 0 || final.length > 0) {
      this.#fail(`can't give argument to non-function ${operandText(first)}`);
    }
    return this.#operand(first, dot);
  }

  #function(name: string, operands: Operand[], dot: Value, final: Value[]): Value {
    if (name === 'and' || name === 'or') {
      let value: Value;
      const stopAt = name === 'or';
      for (const operand of operands) {
        value = this.#operand(operand, dot);
        if (isTrue(value) === stopAt) return value;
      }
      if (final.length > 0) return final[0];
      if (operands.length === 0) this.#fail(`wrong number of args for ${name}: want at least 1 got 0`);
      return value;
    }
    const args = [...operands.map((operand) => this.#operand(operand, dot)), ...final];
    const call = this.functions[name]!;
    // `length` counts the parameters before a rest parameter: the least number of arguments.
    const exact = fixedArity[name];
    if (exact === undefined ? args.length < call.length : args.length !== exact) {
      const want = exact ?? `at least ${call.length}`;
      this.#fail(`wrong number of args for ${name}: want ${want} got ${args.length}`);
    }
    for (const arg of args) this.#charge(arg);
    let result: Value;
    try {
      result = call(...args);
    } catch (error) {
      this.#fail((error as Error).message);
    }
    return this.#charge(result);
  }

  #operand(operand: Operand, dot: Value): Value {
    this.#step();
    switch (operand.kind) {
      case 'dot':
        return dot;
      case 'nil':
        return null;
      case 'literal':
        return operand.value;
      case 'pipe':
        return this.#pipe(operand, dot);
      case 'identifier':
        return this.#function(operand.name, [], dot, []);
      case 'field':
        return this.#fields(dot, operand.path);
      case 'chain':
        return this.#fields(this.#operand(operand.node, dot), operand.path);
      case 'variable': {
        const variable = this.#scope.findLast((entry) => entry.name === operand.name);
        if (!variable) this.#fail(`undefined variable: ${operand.name}`);
        return this.#fields(variable.value, operand.path);
      }
    }
  }

  #fields(value: Value, path: string[]): Value {
    return path.reduce<Value>((from, name) => this.#field(from, name), value);
  }

  #field(value: Value, name: string): Value {
    if (value instanceof Map) return value.get(name);
    if (value instanceof GoStruct && Object.hasOwn(value.fields, name)) return value.fields[name];
    if (value === null || value === undefined) this.#fail(`nil pointer evaluating interface {}.${name}`);
    this.#fail(`can't evaluate field ${name} in type ${typeName(value)}`);
  }
}

function* counting(end: number): Generator<[Value, Value]> {
  for (let at = 0; at < end; at++) yield [at, at];
}

function operandText(operand: Operand): string {
  if (operand.kind === 'field') return `.${operand.path.join('.')}`;
  if (operand.kind === 'variable') return operand.name;
  if (operand.kind === 'literal') return operand.source;
  return operand.kind === 'dot' ? '.' : operand.kind;
}
