import type { Log } from '#core/host';

/** A log that writes to the worker's console. */
export function consoleLog(isDebugging: boolean): Log {
  const write =
    (method: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (method === 'debug' && !isDebugging) return;
      const line = `[tabd] ${message}`;
      if (fields) console[method](line, fields);
      else console[method](line);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
