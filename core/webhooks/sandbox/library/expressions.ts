/** The entry for expressions. Its value is the function that the thread calls. */
import { errorMessage } from '#core/base';
import type { ExpressionScript, ScriptResult } from '../../expressions/create-expressions.ts';
import { setTime } from './luxon.ts';
import { closeForExpressions, makeRealm } from './realm.ts';
import { ReportedError } from './reported-error.ts';
import { toJson, toText } from './results.ts';
import { setItem, setShared } from './scope.ts';

// biome-ignore lint/security/noGlobalEval: this is the sandbox, where code of workflows runs
const compile = globalThis.eval;
const programs = new Map<string, () => unknown>();
const MAX_PROGRAMS = 2000;

makeRealm();
closeForExpressions();

function programOf(source: string): () => unknown {
  let program = programs.get(source);
  if (!program) {
    program = compile(source) as () => unknown;
    if (programs.size >= MAX_PROGRAMS) programs.clear();
    programs.set(source, program);
  }
  return program;
}

/** Takes an `ExpressionScript` and returns a list of `ScriptResult`, both as JSON. */
export default function evaluate(text: string): string {
  const script = JSON.parse(text) as ExpressionScript;
  setShared(script.shared);
  setTime(script.shared.timezone, script.shared.now);
  return JSON.stringify(
    script.items.map((item): ScriptResult => {
      setItem(item);
      try {
        const value = programOf(script.source)();
        if (script.as === 'text') return { text: toText(value) };
        const json = toJson(value);
        return json === undefined ? { nothing: true } : { json };
      } catch (error) {
        return failure(error, script.as);
      }
    }),
  );
}

/**
 * A TypeError, such as for a property of undefined, makes the whole expression undefined. Only a call of an extension
 * method on undefined is an error: the engine's message names the method.
 */
function failure(error: unknown, as: ExpressionScript['as']): ScriptResult {
  if (error instanceof ReportedError) {
    return error.description === undefined
      ? { error: error.message }
      : { error: error.message, description: error.description };
  }
  if (error instanceof TypeError) {
    const [, name, value] = /property '__ext_(\w+)' of (undefined|null)/.exec(error.message) ?? [];
    if (name) return { error: `${name} can't be used on ${value} value` };
    return as === 'text' ? { text: '' } : { nothing: true };
  }
  // Out of memory or time: the thread restores the realm.
  if (error instanceof Error && error.name === 'InternalError') throw error;
  return { error: errorMessage(error) };
}
