/** Evaluates stored parameters: plain paths directly, all other expressions in the sandbox, several items at a time. */
import { ExpressionError } from '../node-api/node-error.ts';
import { compile, type Program, type ScriptProgram } from './compile.ts';
import type { ExpressionScope, Expressions } from './expressions.ts';
import { type ItemPack, packItem, packShared, type SharedPack } from './pack-scope.ts';
import { plainText } from './plain-text.ts';
import { currentItems, readPath } from './read-path.ts';
import { hasExpression, splitTemplate } from './template.ts';

/** Runs programs in a sandbox. */
export interface ScriptRunner {
  /** The results in the order of the items. Rejects when the sandbox failed (time, memory), or with the signal's reason. */
  evaluate(script: ExpressionScript, signal: AbortSignal): Promise<ScriptResult[]>;
}

export interface ExpressionScript {
  source: string;
  /** `value`: typed, as JSON. `text`: as a part of a text. */
  as: 'value' | 'text';
  shared: SharedPack;
  items: ItemPack[];
}

export type ScriptResult =
  | { json: string }
  | { text: string }
  /** The value is undefined. */
  | { nothing: true }
  | { error: string; description?: string };

/** Items that are evaluated at once, after a node has evaluated the same expression for a second item. */
const BATCH_SIZE = 64;

/** @param scripts runs the expressions that need a sandbox */
export function createExpressions(scripts: ScriptRunner): Expressions {
  return new ExpressionEvaluator(new BatchedScripts(scripts));
}

class ExpressionEvaluator implements Expressions {
  constructor(private readonly scripts: BatchedScripts) {}

  async evaluate(value: unknown, scope: ExpressionScope, itemIndex: number): Promise<unknown> {
    if (!hasExpression(value)) return value;
    if (typeof value === 'string') return this.#evaluateText(value, scope, itemIndex);
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (const element of value) list.push(await this.evaluate(element, scope, itemIndex));
      return list;
    }
    const object: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(value as object)) {
      object[key] = await this.evaluate(inner, scope, itemIndex);
    }
    return object;
  }

  /** A text that is one expression has the type of its value. Any other text stays a text. */
  async #evaluateText(source: string, scope: ExpressionScope, index: number): Promise<unknown> {
    const parts = splitTemplate(source);
    const [first] = parts;
    if (first && parts.length === 1 && 'code' in first) {
      return this.#run(compile(first.code), 'value', scope, index);
    }
    let text = '';
    for (const part of parts) {
      text += 'text' in part ? part.text : await this.#run(compile(part.code), 'text', scope, index);
    }
    return text;
  }

  async #run(
    program: Program,
    as: ExpressionScript['as'],
    scope: ExpressionScope,
    index: number,
  ): Promise<unknown> {
    switch (program.kind) {
      case 'invalid':
        throw new ExpressionError(program.message, { itemIndex: index });
      case 'path': {
        let value = readPath(program.path, scope, index);
        // A parameter that refers to a parameter. Without parameters in the scope, it cannot refer to itself.
        if (program.path.root.kind === 'parameter') {
          value = await this.evaluate(value, { ...scope, parameters: {} }, index);
        }
        return as === 'text' ? plainText(value) : value;
      }
      case 'script':
        return resultValue(await this.scripts.resultOf(program, as, scope, index), index);
    }
  }
}

function resultValue(result: ScriptResult, itemIndex: number): unknown {
  if ('json' in result) return JSON.parse(result.json);
  if ('text' in result) return result.text;
  if ('nothing' in result) return undefined;
  throw new ExpressionError(result.error, {
    itemIndex,
    ...(result.description !== undefined && { description: result.description }),
  });
}

/** Nodes ask for one item after the other. This evaluates the next items along with the one that is asked for. */
class BatchedScripts {
  /** The results of each program, by item. A scope lasts as long as one run of a node. */
  readonly #results = new WeakMap<ExpressionScope, Map<string, Promise<ScriptResult>[]>>();

  constructor(private readonly scripts: ScriptRunner) {}

  resultOf(
    program: ScriptProgram,
    as: ExpressionScript['as'],
    scope: ExpressionScope,
    index: number,
  ): Promise<ScriptResult> {
    const byProgram = this.#results.get(scope) ?? new Map<string, Promise<ScriptResult>[]>();
    this.#results.set(scope, byProgram);
    const key = as + program.source;
    const earlier = byProgram.get(key);
    const results = earlier ?? [];
    byProgram.set(key, results);
    if (!results[index]) {
      // Many expressions are evaluated for one item alone: the first request starts no batch.
      const end = earlier ? Math.min(index + BATCH_SIZE, currentItems(scope).length) : index + 1;
      this.#evaluate(program, as, scope, missingIndexes(results, index, end), results);
    }
    return results[index]!;
  }

  #evaluate(
    program: ScriptProgram,
    as: ExpressionScript['as'],
    scope: ExpressionScope,
    indexes: number[],
    results: Promise<ScriptResult>[],
  ): void {
    const script: ExpressionScript = {
      source: program.source,
      as,
      shared: packShared(scope, program.uses),
      items: indexes.map((index) => packItem(scope, program.uses, index)),
    };
    const batch = this.scripts.evaluate(script, scope.signal);
    for (const [position, index] of indexes.entries()) {
      const result = batch.then((all) => all[position]!);
      // Nobody may ask for this item: without this handler the rejection would count as unhandled.
      result.catch(() => undefined);
      results[index] = result;
    }
  }
}

/** The index, and those after it up to the end or to the first that has a result. */
function missingIndexes(results: unknown[], index: number, end: number): number[] {
  const indexes = [index];
  for (let next = index + 1; next < end && !results[next]; next++) indexes.push(next);
  return indexes;
}
