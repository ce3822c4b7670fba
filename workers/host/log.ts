import type { Log } from '#core/host';

/** To the console of the worker, where the developer tools show it. */
export function consoleLog(debugging: boolean): Log {
  const write =
    (method: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (method === 'debug' && !debugging) return;
      const line = `[tabd] ${message}`;
      if (fields) console[method](line, fields);
      else console[method](line);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
