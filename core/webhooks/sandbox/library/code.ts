/** The entry for Code nodes. Its value is the function that the thread calls. */

import { splitTemplate } from '../../expressions/template.ts';
import type { CodeOutcome, CodeResult, CodeScript } from '../code-script.ts';
import { atob, btoa } from './code/base64.ts';
import { type SandboxBridge, setBridge, settleCall } from './code/bridge.ts';
import { Buffer } from './code/buffer.ts';
import { consoleFor } from './code/console.ts';
import { nodeCrypto, webCrypto } from './code/crypto.ts';
import { toCodeFailure } from './code/failure.ts';
import { FormData } from './code/form-data.ts';
import { helpersFor } from './code/node-helpers.ts';
import { TextDecoder, TextEncoder } from './code/text-coding.ts';
import { fireTimer, timers } from './code/timers.ts';
import { setTime } from './luxon.ts';
import { makeRealm } from './realm.ts';
import { ReportedError } from './reported-error.ts';
import { toText } from './results.ts';
import { currentItem, inputItems, setItem, setShared, variables } from './scope.ts';

/** A script without its code, which the thread has compiled. */
type Script = Omit<CodeScript, 'code'>;

declare const __bridge: SandboxBridge;
declare const __code: (this: unknown) => Promise<unknown>;

setBridge(__bridge);
makeRealm();
for (const name of [
  '$if',
  '$ifEmpty',
  '$max',
  '$min',
  '$average',
  '$not',
  '__bridge',
  '__host',
  'performance',
  'navigator',
  'queueMicrotask',
]) {
  Reflect.deleteProperty(globalThis, name);
}

let result: string | undefined;

/**
 * - `run`: starts a script. The thread has stored the compiled function of the user as `__code`.
 * - `resume`: settles a call, whose id, outcome and value are the other arguments.
 * - `timer`: fires the timer with this id.
 * - `poll`: returns the result as JSON, or empty text while the code runs.
 */
export default function entry(operation: string, a = '', b = '', c = '', ...parts: ArrayBuffer[]): string {
  switch (operation) {
    case 'run':
      start(JSON.parse(a) as Script);
      return '';
    case 'resume':
      settleCall(Number(a), b === 'ok', c, parts);
      return '';
    case 'timer':
      fireTimer(Number(a));
      return '';
    default:
      return result ?? '';
  }
}

function start(script: Script): void {
  setShared(script.shared);
  setTime(script.shared.timezone, script.shared.now);
  const customData: Record<string, string> = {};
  const statics = {
    global: parseStatic(script.staticData.global),
    node: parseStatic(script.staticData.node),
  };
  const code = __code;
  Reflect.deleteProperty(globalThis, '__code');
  const outcomes: CodeOutcome[] = [];
  const runAll = async () => {
    for (const item of script.items) {
      setItem(item);
      try {
        const json = toJson(await code.call(makeGlobals(script, customData, statics)));
        outcomes.push(json === undefined ? {} : { json });
      } catch (error) {
        outcomes.push({ failure: toCodeFailure(error, item.index) });
        if (!script.continueOnFail) break;
      }
    }
    const codeResult: CodeResult = { outcomes };
    const changed = changedStatics(script, statics);
    if (changed) codeResult.staticData = changed;
    if (Object.keys(customData).length > 0) codeResult.customData = customData;
    return codeResult;
  };
  runAll().then(
    (codeResult) => {
      result = JSON.stringify(codeResult);
    },
    (error: unknown) => {
      result = JSON.stringify({ outcomes: [{ failure: toCodeFailure(error, 0) }] });
    },
  );
}

/** Defines the globals for the current item. Returns `this` of the user's function. */
function makeGlobals(
  script: Script,
  customData: Record<string, string>,
  statics: StaticParts,
): Record<string, unknown> {
  const globals = globalsFor(script, customData, statics);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  const thisValue: Record<string, unknown> = { ...globals };
  for (const [name, get] of Object.entries(variables)) {
    if (!Object.hasOwn(globals, name))
      Object.defineProperty(thisValue, name, { get, enumerable: true, configurable: true });
  }
  return thisValue;
}

function globalsFor(
  script: Script,
  customData: Record<string, string>,
  statics: StaticParts,
): Record<string, unknown> {
  const isEachItem = script.mode === 'eachItem';
  const helpers = helpersFor(() => (isEachItem ? [currentItem()] : inputItems()));
  return {
    module: { exports: {} },
    global: globalThis,
    require: requireModule,
    console: consoleFor(),
    $getWorkflowStaticData: (kind: unknown) => {
      if (kind === 'global' || kind === 'node') return statics[kind].value;
      throw new Error(`The type "${String(kind)}" is not supported: use "global" or "node"`);
    },
    $execution: executionWith(customData),
    $input: isEachItem ? eachItemInput() : allItemsInput(),
    ...(isEachItem ? { item: currentItem() } : { items: inputItems() }),
    Buffer,
    ...timers,

    btoa,
    atob,
    TextDecoder,
    TextEncoder,
    FormData,
    crypto: webCrypto,
    $evaluateExpression: evaluateTemplate,
    $getPairedItem: (node: string) => (variables.$!() as (name: string) => { item: unknown })(node).item,
    $agentInfo: undefined,
    $evaluation: undefined,
    $tool: undefined,
    helpers,
    ...(script.input !== undefined && { __input: JSON.parse(script.input) }),
  };
}

/** The value of a parameter's text for the current item. */
function evaluateTemplate(source: unknown): unknown {
  const text = String(source);
  const parts = splitTemplate(text.startsWith('=') ? text : `=${text}`);
  // biome-ignore lint/security/noGlobalEval: this is the sandbox, where code of workflows runs
  const values = parts.map((part) => ('text' in part ? part.text : globalThis.eval(`(${part.code}\n)`)));
  return values.length === 1 ? values[0] : values.map(toText).join('');
}

function requireModule(name: unknown): unknown {
  const moduleName = String(name).replace(/^node:/, '');
  if (moduleName === 'crypto') return nodeCrypto;
  if (moduleName === 'buffer') return { Buffer };
  throw new Error(`Module '${String(name)}' is disallowed`);
}

function allItemsInput() {
  return {
    get item() {
      return currentItem();
    },
    all: () => inputItems(),
    first: () => inputItems()[0],
    last: () => inputItems().at(-1),
    get params() {
      return variables.$parameter!();
    },
    get context() {
      return {};
    },
  };
}

function eachItemInput() {
  const item = currentItem();
  const refuse = (method: string) => () => {
    throw new ReportedError(
      `Can't use .${method}() here`,
      "This is only available in 'Run Once for All Items' mode",
    );
  };
  return {
    item,
    all: refuse('all'),
    first: refuse('first'),
    last: refuse('last'),
    get params() {
      return variables.$parameter!();
    },
  };
}

/** `$execution` with the methods that read and set custom data. */
function executionWith(customData: Record<string, string>) {
  const execution = variables.$execution!() as { customData?: Record<string, string> };
  const before = { ...execution.customData };
  const all = () => ({ ...before, ...customData });
  const set = (key: unknown, value: unknown) => {
    if (typeof key !== 'string' || !/^\w{1,50}$/.test(key)) {
      throw new Error('Custom data keys are texts of up to 50 letters, digits and underscores');
    }
    customData[key] = String(value).slice(0, 512);
  };
  return {
    ...execution,
    customData: {
      set,
      setAll: (values: Record<string, unknown>) => {
        for (const [key, value] of Object.entries(values)) set(key, value);
      },
      get: (key: string) => all()[key],
      getAll: all,
    },
  };
}

interface StaticPart {
  value: Record<string, unknown>;
}
/** Both parts of the workflow's static data. */
type StaticParts = Record<'global' | 'node', StaticPart>;

const parseStatic = (text: string): StaticPart => ({ value: JSON.parse(text) as Record<string, unknown> });

function changedStatics(script: Script, statics: StaticParts): CodeResult['staticData'] {
  const changed: NonNullable<CodeResult['staticData']> = {};
  for (const kind of ['global', 'node'] as const) {
    const json = toJson(statics[kind].value) ?? '{}';
    if (json !== script.staticData[kind]) changed[kind] = json;
  }
  return changed.global === undefined && changed.node === undefined ? undefined : changed;
}

/** Drops functions and undefined; dates and big integers become text. */
function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}
