import { bridge } from './bridge.ts';

/** A console that posts lines. Every method writes texts in quotes, and other values as JSON. */
export function consoleFor() {
  const write = (...values: unknown[]) => bridge.console(values.map((value) => show(value)).join(' '));
  return {
    log: write,
    info: write,
    warn: write,
    error: write,
    debug: write,
    trace: write,
    table: write,
    dir: write,
  };
}

function show(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;
  if (value instanceof Error)
    return value.stack ? `${value.name}: ${value.message}\n${value.stack}` : String(value);
  if (typeof value === 'function') return `[Function: ${value.name || 'anonymous'}]`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // The text of a cyclic list would have no end.
    const isCyclic = error instanceof TypeError && /circular/.test(error.message);
    return isCyclic ? Object.prototype.toString.call(value) : plainText(value);
  }
}

function plainText(value: unknown): string {
  try {
    return String(value);
  } catch {
    // An object without a prototype has no text of its own.
    return Object.prototype.toString.call(value);
  }
}
