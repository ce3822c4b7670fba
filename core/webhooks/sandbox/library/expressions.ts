/** The entry for expressions: its value is the function that the thread calls. */
import type { Script, ScriptResult } from '../../expressions/create-expressions.ts';
import { Fault } from './fault.ts';
import { setTime } from './luxon.ts';
import { closeForExpressions, makeRealm } from './realm.ts';
import { toJson, toText } from './results.ts';
import { setItem, setShared } from './scope.ts';

// biome-ignore lint/security/noGlobalEval: this is the sandbox, where code of workflows runs
const compile = globalThis.eval;
const programs = new Map<string, () => unknown>();
const MOST_PROGRAMS = 2000;

makeRealm();
closeForExpressions();

function programOf(source: string): () => unknown {
  let program = programs.get(source);
  if (!program) {
    program = compile(source) as () => unknown;
    if (programs.size >= MOST_PROGRAMS) programs.clear();
    programs.set(source, program);
  }
  return program;
}

/** Takes a `Script` and gives a list of `ScriptResult`, both as JSON. */
export default function evaluate(text: string): string {
  const script = JSON.parse(text) as Script;
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
 * Reading from what is not there makes the whole expression undefined. Not so a call of an extension method on it: the
 * engine's message names the method.
 */
function failure(error: unknown, as: Script['as']): ScriptResult {
  if (error instanceof Fault) {
    return error.description === undefined
      ? { error: error.message }
      : { error: error.message, description: error.description };
  }
  if (error instanceof TypeError) {
    const [, name, value] = /property '__ext_(\w+)' of (undefined|null)/.exec(error.message) ?? [];
    if (name) return { error: `${name} can't be used on ${value} value` };
    return as === 'text' ? { text: '' } : { nothing: true };
  }
  // Out of memory, or of time: nothing in here can be trusted to go on.
  if (error instanceof Error && error.name === 'InternalError') throw error;
  return { error: error instanceof Error ? error.message : String(error) };
}
