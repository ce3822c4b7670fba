import { NodeError, type NodeErrorOptions } from '../../node-api/node-error.ts';

/**
 * The value of a parameter that holds JSON: text is parsed; other values are the results of expressions.
 * @param message of the error, or a function that makes it of the parser's message
 * @throws NodeError for text that is not JSON
 */
export function parseJsonParameter(
  value: unknown,
  message: string | ((reason: string) => string),
  options: NodeErrorOptions = {},
): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    const text = typeof message === 'string' ? message : message((cause as Error).message);
    throw new NodeError(text, { ...options, cause });
  }
}
