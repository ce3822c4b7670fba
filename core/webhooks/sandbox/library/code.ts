/**
 * The entry for Code nodes. Its value is one function, `entry(operation, …)`, that the thread calls with texts:
 * `run` (after the person's function was compiled and stored as `__code`), `resume` with the answer to a call, `timer`,
 * and `poll`, which gives the result as soon as there is one.
 */

import { splitTemplate } from '../../expressions/template.ts';
import type { CodeOutcome, CodeResult, CodeScript } from '../code-script.ts';
import { atob, base64Functions, btoa } from './code/base64.ts';
import { answerCall, type Bridge, setBridge } from './code/bridge.ts';
import { Buffer } from './code/buffer.ts';
import { consoleFor } from './code/console.ts';
import { nodeCrypto, webCrypto } from './code/crypto.ts';
import { failureFrom } from './code/failure.ts';
import { FormData } from './code/form-data.ts';
import { helpersFor } from './code/helpers.ts';
import { TextDecoder, TextEncoder } from './code/text-coding.ts';
import { fireTimer, timers } from './code/timers.ts';
import { Fault } from './fault.ts';
import { setTime } from './luxon.ts';
import { makeRealm } from './realm.ts';
import { toText } from './results.ts';
import { currentItem, inputItems, setItem, setShared, variables } from './scope.ts';

/** The code itself is compiled already. */
type Script = Omit<CodeScript, 'code'>;

declare const __bridge: Bridge;
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

export default function entry(operation: string, a = '', b = '', c = '', ...parts: ArrayBuffer[]): string {
  switch (operation) {
    case 'run':
      start(JSON.parse(a) as Script);
      return '';
    case 'resume':
      answerCall(Number(a), b === 'ok', c, parts);
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
    global: parsedStatic(script.staticData.global),
    node: parsedStatic(script.staticData.node),
  };
  const code = __code;
  Reflect.deleteProperty(globalThis, '__code');
  const outcomes: CodeOutcome[] = [];
  const all = async () => {
    for (const item of script.items) {
      setItem(item);
      try {
        const json = toJson(await code.call(makeGlobals(script, customData, statics)));
        outcomes.push(json === undefined ? {} : { json });
      } catch (error) {
        outcomes.push({ failure: failureFrom(error, item.index) });
        if (!script.goOn) break;
      }
    }
    const made: CodeResult = { outcomes };
    const changed = changedStatics(script, statics);
    if (changed) made.staticData = changed;
    if (Object.keys(customData).length > 0) made.customData = customData;
    return made;
  };
  all().then(
    (made) => {
      result = JSON.stringify(made);
    },
    (error: unknown) => {
      result = JSON.stringify({ outcomes: [{ failure: failureFrom(error, 0) }] });
    },
  );
}

/** Sets what the code finds for the current item, and gives what `this` is. */
function makeGlobals(
  script: Script,
  customData: Record<string, string>,
  statics: { global: Static; node: Static },
): Record<string, unknown> {
  const globals = globalsFor(script, customData, statics);
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  const self: Record<string, unknown> = { ...globals };
  for (const [name, get] of Object.entries(variables)) {
    if (!Object.hasOwn(globals, name))
      Object.defineProperty(self, name, { get, enumerable: true, configurable: true });
  }
  return self;
}

function globalsFor(
  script: Script,
  customData: Record<string, string>,
  statics: { global: Static; node: Static },
): Record<string, unknown> {
  const each = script.mode === 'eachItem';
  const helpers = helpersFor(() => (each ? [currentItem()] : inputItems()));
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
    $input: each ? eachInput() : allInput(),
    ...(each && { item: currentItem() }),
    ...(!each && { items: inputItems() }),
    Buffer,
    ...timers,
    ...base64Functions,
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
    ...(script.given !== undefined && { __given: JSON.parse(script.given) }),
  };
}

/** A value as it stands in a parameter, for the current item. */
function evaluateTemplate(source: unknown): unknown {
  const text = String(source);
  const parts = splitTemplate(text.startsWith('=') ? text : `=${text}`);
  // biome-ignore lint/security/noGlobalEval: this is the sandbox, where code of workflows runs
  const values = parts.map((part) => ('text' in part ? part.text : globalThis.eval(`(${part.code}\n)`)));
  return values.length === 1 ? values[0] : values.map(toText).join('');
}

function requireModule(name: unknown): unknown {
  const plain = String(name).replace(/^node:/, '');
  if (plain === 'crypto') return nodeCrypto;
  if (plain === 'buffer') return { Buffer };
  throw new Error(`Module '${String(name)}' is disallowed`);
}

function allInput() {
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

function eachInput() {
  const item = currentItem();
  const refuse = (method: string) => () => {
    throw new Fault(`Can't use .${method}() here`, "This is only available in 'Run Once for All Items' mode");
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

/** `$execution` with the methods that keep data of the person's own. */
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

interface Static {
  value: Record<string, unknown>;
}
const parsedStatic = (text: string): Static => ({ value: JSON.parse(text) as Record<string, unknown> });

function changedStatics(script: Script, statics: { global: Static; node: Static }): CodeResult['staticData'] {
  const changed: NonNullable<CodeResult['staticData']> = {};
  for (const kind of ['global', 'node'] as const) {
    const now = toJson(statics[kind].value) ?? '{}';
    if (now !== script.staticData[kind]) changed[kind] = now;
  }
  return changed.global === undefined && changed.node === undefined ? undefined : changed;
}

/** Functions and undefined are dropped, dates become text. */
function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
}
