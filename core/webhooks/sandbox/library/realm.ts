/** Defines the globals of expressions and Code nodes, and freezes those that all expressions share. */
import { STUBS } from '../../expressions/variables.ts';
import { helpers } from './expression-helpers.ts';
import { installExtensions } from './extensions/install.ts';
import { installLocaleMethods, sandboxIntl } from './intl.ts';
import { DateTime, Duration, Interval } from './luxon.ts';
import { variables } from './scope.ts';

export function makeRealm(): void {
  const define = (name: string, value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  installLocaleMethods();
  installDateText();
  define('Intl', sandboxIntl);
  for (const [name, value] of Object.entries(helpers)) define(name, value);
  for (const [name, get] of Object.entries(variables)) {
    Object.defineProperty(globalThis, name, { get, configurable: true });
  }
  Object.defineProperty(globalThis, '$now', { get: () => DateTime.now(), configurable: true });
  Object.defineProperty(globalThis, '$today', {
    get: () => DateTime.now().startOf('day'),
    configurable: true,
  });
}

/** Adds what only expressions have, removes what only code may have, and freezes every object of the realm. */
export function closeForExpressions(): void {
  installExtensions();
  const realm = globalThis;
  for (const name of STUBS) Object.defineProperty(realm, name, { value: Object.freeze({}) });
  for (const name of [
    'eval',
    'Function',
    'globalThis',
    '__host',
    'queueMicrotask',
    'performance',
    'navigator',
  ]) {
    Reflect.deleteProperty(realm, name);
  }
  allowErrorNames();
  const seen = new Set<unknown>([realm]);
  for (const key of Reflect.ownKeys(realm)) {
    const { value } = Object.getOwnPropertyDescriptor(realm, key)!;
    freeze(value, seen);
  }
  // Prototypes that no global leads to.
  for (const hidden of [
    async () => {},
    function* () {},
    async function* () {},
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ''[Symbol.iterator](),
    /x/[Symbol.matchAll](''),
  ]) {
    freeze(Object.getPrototypeOf(hidden), seen);
  }
  for (const luxon of [DateTime, Duration, Interval]) freeze(luxon, seen);
  Object.freeze(realm);
}

function freeze(value: unknown, seen: Set<unknown>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key)!;
    freeze(property.value, seen);
    freeze(property.get, seen);
    freeze(property.set, seen);
  }
  freeze(Object.getPrototypeOf(value), seen);
}

/** Libraries set `error.name`. A frozen data property of the prototype would forbid that for every error. */
function allowErrorNames(): void {
  Object.defineProperty(Error.prototype, 'name', {
    get: () => 'Error',
    set(this: Error, value: unknown) {
      Object.defineProperty(this, 'name', { value, writable: true, configurable: true });
    },
  });
}

/** Makes dates read as in browsers and Node: QuickJS leaves out the name of the zone. */
function installDateText(): void {
  const text = Date.prototype.toString;
  Object.defineProperty(Date.prototype, 'toString', {
    configurable: true,
    writable: true,
    value(this: Date) {
      const plain = text.call(this);
      return plain.endsWith('GMT+0000') ? `${plain} (Coordinated Universal Time)` : plain;
    },
  });
}
