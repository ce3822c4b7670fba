/** Evaluates what parameters hold: plain paths at once, everything else in the sandbox, several items at a time. */
import { ExpressionError } from '../node-api/node-error.ts';
import { compile, type Program, type ScriptProgram } from './compile.ts';
import type { ExpressionScope, Expressions } from './expressions.ts';
import { type ItemPack, packItem, packShared, type SharedPack } from './pack-scope.ts';
import { plainText } from './plain-text.ts';
import { currentItems, readPath } from './read-path.ts';
import { hasExpression, splitTemplate } from './template.ts';

/** Runs programs in a sandbox. */
export interface ScriptRunner {
  /** For each item its result, in order. Throws when the sandbox itself failed (time, memory), or the signal's reason. */
  evaluate(script: Script, signal: AbortSignal): Promise<ScriptResult[]>;
}

export interface Script {
  source: string;
  /** `value`: typed, as JSON. `text`: as it reads inside of a text. */
  as: 'value' | 'text';
  shared: SharedPack;
  items: ItemPack[];
}

export type ScriptResult =
  | { json: string }
  | { text: string }
  /** undefined */
  | { nothing: true }
  | { error: string; description?: string };

/** Items evaluated ahead, once a node has asked for a second one. */
const AHEAD = 64;

export function createExpressions(scripts: ScriptRunner): Expressions {
  const aheads = new WeakMap<ExpressionScope, Map<string, Promise<ScriptResult>[]>>();

  /** The result for an item; others that will be asked for next are evaluated along with it. */
  function resultOf(program: ScriptProgram, as: Script['as'], scope: ExpressionScope, index: number) {
    let known = aheads.get(scope);
    if (!known) {
      known = new Map();
      aheads.set(scope, known);
    }
    const key = as + program.source;
    let results = known.get(key);
    const first = results === undefined;
    if (!results) {
      results = [];
      known.set(key, results);
    }
    if (!results[index]) {
      const last = first ? index : Math.min(index + AHEAD, currentItems(scope).length) - 1;
      const indexes = [index];
      for (let one = index + 1; one <= last && !results[one]; one++) indexes.push(one);
      const batch = scripts.evaluate(
        {
          source: program.source,
          as,
          shared: packShared(scope, program.uses),
          items: indexes.map((one) => packItem(scope, program.uses, one)),
        },
        scope.signal,
      );
      for (const [position, one] of indexes.entries()) {
        results[one] = batch.then((all) => all[position]!);
        // Nobody may ask for what was evaluated ahead.
        results[one].catch(() => undefined);
      }
    }
    return results[index]!;
  }

  async function run(
    program: Program,
    as: Script['as'],
    scope: ExpressionScope,
    index: number,
  ): Promise<unknown> {
    if (program.kind === 'invalid') throw new ExpressionError(program.message, { itemIndex: index });
    if (program.kind === 'path') {
      const value = readPath(program.path, scope, index);
      const settled =
        hasExpression(value) && program.path.root.kind === 'parameter'
          ? await inner(value, scope, index)
          : value;
      return as === 'text' ? plainText(settled) : settled;
    }
    const result = await resultOf(program, as, scope, index);
    if ('json' in result) return JSON.parse(result.json);
    if ('text' in result) return result.text;
    if ('nothing' in result) return undefined;
    throw new ExpressionError(result.error, {
      itemIndex: index,
      ...(result.description !== undefined && { description: result.description }),
    });
  }

  /** A parameter that refers to a parameter: once, not in circles. */
  function inner(value: unknown, scope: ExpressionScope, index: number): Promise<unknown> {
    return evaluate(value, { ...scope, parameters: {} }, index);
  }

  async function evaluateText(source: string, scope: ExpressionScope, index: number): Promise<unknown> {
    const parts = splitTemplate(source);
    const [only] = parts;
    if (only && parts.length === 1 && 'code' in only) return run(compile(only.code), 'value', scope, index);
    let text = '';
    for (const part of parts) {
      text += 'text' in part ? part.text : await run(compile(part.code), 'text', scope, index);
    }
    return text;
  }

  async function evaluate(value: unknown, scope: ExpressionScope, index: number): Promise<unknown> {
    if (!hasExpression(value)) return value;
    if (typeof value === 'string') return evaluateText(value, scope, index);
    if (Array.isArray(value)) {
      const made: unknown[] = [];
      for (const one of value) made.push(await evaluate(one, scope, index));
      return made;
    }
    const made: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(value as object)) made[key] = await evaluate(one, scope, index);
    return made;
  }

  return { evaluate };
}
