import { PythonFloat } from '../python/python-json.ts';
import { DependencyCycle } from './node-schedule.ts';
import type { InputLists } from './run-node.ts';

/** The Python exceptions by which ComfyUI's clients know these errors. */
const PYTHON_NAMES: Record<string, string> = {
  Error: 'Exception',
  RangeError: 'ValueError',
  ImageUnreadable: 'PIL.UnidentifiedImageError',
  StorageFull: 'OSError',
};

/** Describes the failure of a node for `execution_error`: the exception and the node's inputs. */
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
    exception_type: PYTHON_NAMES[name] ?? name,
    traceback: (stack ?? '').split('\n').slice(1),
    current_inputs: Object.fromEntries(
      Object.entries(inputs).map(([input, list]) => [input, list.map(printableValue)]),
    ),
  };
}

/** Literals as they are. Tensors, lists and objects as a short description. */
function printableValue(value: unknown): unknown {
  if (typeof value === 'number') return new PythonFloat(value);
  if (value === null || typeof value !== 'object') return value;
  if ('shape' in value && 'data' in value) return `tensor of shape [${(value.shape as number[]).join(', ')}]`;
  return Array.isArray(value) ? `list of ${value.length}` : 'object';
}
