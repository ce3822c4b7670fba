import { UsageError } from '#shim/base/usage-error.ts';
import type { Arguments } from '../../arguments.ts';

export type Think = boolean | 'low' | 'medium' | 'high' | 'max';

/** Options of requests, from the command line and later from /set. */
export interface RunOptions {
  format?: 'json' | object;
  /** A number is in seconds, a text a duration such as `5m`. */
  keepAlive?: string | number;
  think?: Think;
  hideThinking: boolean;
  verbose: boolean;
  wordWrap: boolean;
}

/** @throws UsageError */
export function runOptions({ options }: Pick<Arguments, 'options'>): RunOptions {
  return {
    format: responseFormatOf(options.format),
    keepAlive: keepAliveOf(options.keepalive),
    think: options.think === undefined ? undefined : thinkOf(String(options.think)),
    hideThinking: options.hidethinking === true,
    verbose: options.verbose === true,
    wordWrap: options.nowordwrap !== true,
  };
}

export function thinkOf(text: string): Think {
  if (text === 'true' || text === '') return true;
  if (text === 'false') return false;
  if (['low', 'medium', 'high', 'max'].includes(text)) return text as Think;
  throw new UsageError(`think can be true, false, low, medium, high or max, not '${text}'`);
}

export function responseFormatOf(text: string | true | undefined): RunOptions['format'] {
  if (typeof text !== 'string' || text === '') return undefined;
  if (text === 'json') return 'json';
  try {
    const schema = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as object;
  } catch {
    // Invalid JSON is reported below.
  }
  throw new UsageError(`--format takes json or a JSON schema, not '${text}'`);
}

/** A bare number means seconds. The server checks any other text. */
function keepAliveOf(text: string | true | undefined): string | number | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
