import type { Log } from '#core/host';

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

export interface LogOptions {
  /** The lowest level that is written. Default: `info`. */
  level?: LogLevel;
  /** Whether to write one JSON object on each line instead of readable text. */
  json?: boolean;
  /** Receives the lines. Default: standard error, because standard output is for results. */
  write?: (line: string) => void;
}

/** A log with a time on each line. */
export function createLog(options: LogOptions = {}): Log {
  const threshold = levels.indexOf(options.level ?? 'info');
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const line =
    (level: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (levels.indexOf(level) < threshold) return;
      const time = new Date().toISOString();
      write(
        options.json
          ? `${JSON.stringify({ time, level, message, ...serializable(fields) })}\n`
          : `${time.slice(11, 23)} ${level.padEnd(5)} ${message}${fieldsText(fields)}\n`,
      );
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** Errors have no enumerable fields: JSON would print `{}`. */
function serializable(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? (value.stack ?? String(value)) : value,
    ]),
  );
}

function fieldsText(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const text = value instanceof Error ? value.message : value;
      return ` ${key}=${typeof text === 'string' && /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`;
    })
    .join('');
}
