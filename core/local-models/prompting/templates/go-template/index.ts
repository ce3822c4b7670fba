/** Go's `text/template`, as far as model templates use it. */
import { execute } from './executor.ts';
import { builtins, type TemplateFunction } from './functions.ts';
import { type ParsedTemplate, parse } from './parser.ts';
import type { Value } from './values.ts';

export { TemplateError } from './lexer.ts';
export type { ListNode, Node, Operand, PipeNode } from './nodes.ts';
export { fromJson, GoStruct, marshal, marshalPlain, type Value, withJson } from './values.ts';
export type { TemplateFunction };

export class GoTemplate {
  readonly parsed: ParsedTemplate;
  readonly #functions: Readonly<Record<string, TemplateFunction>>;

  /** Throws `TemplateError` with Go's text. */
  constructor(source: string, functions: Readonly<Record<string, TemplateFunction>> = {}) {
    this.#functions = { ...builtins, ...functions };
    this.parsed = parse(source, new Set(Object.keys(this.#functions)));
  }

  execute(data: Value): string {
    return execute(this.parsed, this.#functions, data);
  }

  /** Runs another tree with this template's functions and definitions. */
  executeTree(root: ParsedTemplate['root'], data: Value): string {
    return execute({ ...this.parsed, root }, this.#functions, data);
  }
}
