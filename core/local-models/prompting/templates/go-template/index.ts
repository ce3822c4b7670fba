import { execute } from './executor.ts';
import { builtins, type TemplateFunction } from './functions.ts';
import { type ParsedTemplate, parse } from './parser.ts';
import type { Value } from './values.ts';

export { TemplateError } from './lexer.ts';
export type { GoTemplateNode, ListNode, Operand, PipeNode } from './nodes.ts';
export { GoStruct, marshal, marshalPlain, toTemplateValue, type Value, withJson } from './values.ts';
export type { TemplateFunction };

/** A template of Go's `text/template`, as far as model templates use it. */
export class GoTemplate {
  readonly parsed: ParsedTemplate;
  readonly #functions: Readonly<Record<string, TemplateFunction>>;

  /**
   * @param functions in addition to the predeclared ones
   * @throws TemplateError with Go's text
   */
  constructor(source: string, functions: Readonly<Record<string, TemplateFunction>> = {}) {
    this.#functions = { ...builtins, ...functions };
    this.parsed = parse(source, new Set(Object.keys(this.#functions)));
  }

  /** @throws TemplateError with Go's text, or when a limit is exceeded */
  execute(data: Value): string {
    return execute(this.parsed, this.#functions, data);
  }

  /** Runs another tree with this template's functions and definitions. */
  executeTree(root: ParsedTemplate['root'], data: Value): string {
    return execute({ ...this.parsed, root }, this.#functions, data);
  }
}
