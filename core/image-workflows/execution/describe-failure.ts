/** What clients are told of an error that a node threw. */

import { PythonFloat } from '../python/python-json.ts';
import { DependencyCycle } from './node-schedule.ts';
import type { InputLists } from './run-node.ts';

/** Names that the system imitated gives to such failures. */
const NAMES: Record<string, string> = {
  Error: 'Exception',
  RangeError: 'ValueError',
  ImageUnreadable: 'PIL.UnidentifiedImageError',
  StorageFull: 'OSError',
};

export function describeFailure(error: unknown, inputs: InputLists): Record<string, unknown> {
  if (error instanceof DependencyCycle)
    return {
      exception_message: error.message,
      exception_type: error.name,
      traceback: [],
      current_inputs: [],
    };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return {
    exception_message: `${message}\n`,
    exception_type: NAMES[name] ?? name,
    traceback: (stack ?? '').split('\n').slice(1),
    current_inputs: Object.fromEntries(
      Object.entries(inputs).map(([input, list]) => [input, list.map(shownValue)]),
    ),
  };
}

/** Plain values as they are, others by what they are. */
function shownValue(value: unknown): unknown {
  if (typeof value === 'number') return new PythonFloat(value);
  if (value === null || typeof value !== 'object') return value;
  if ('shape' in value && 'data' in value) return `tensor of shape [${(value.shape as number[]).join(', ')}]`;
  return Array.isArray(value) ? `list of ${value.length}` : 'object';
}
