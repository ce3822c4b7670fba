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
  const failure = error instanceof Error ? error : new Error(String(error));
  const { name, stack } = failure;
  const message = withoutOwnPath(failure);
  return {
    exception_message: `${message}\n`,
    exception_type: PYTHON_NAMES[name] ?? name,
    // Callers may be on other computers: they see the names of the files, and no folder of this one.
    traceback: (stack ?? '').split('\n').slice(1).map(withoutFolders),
    current_inputs: Object.fromEntries(
      Object.entries(inputs).map(([input, list]) => [input, list.map(printableValue)]),
    ),
  };
}

/** The message of an error. Those of the operating system contain the path on disk: its last part stays. */
function withoutOwnPath({ message, path }: Error & { path?: unknown }): string {
  if (typeof path !== 'string' || !/^([/\\]|[a-z]:)/i.test(path)) return message;
  return message.replaceAll(path, path.slice(path.search(/[^/\\]*$/)));
}

/** A line of a stack without the folders of its file. */
function withoutFolders(line: string): string {
  return line.replace(/(?<=[\s(])((file|https?):\/\/|\/|[a-z]:[/\\])[^\s()]*[/\\]/gi, '');
}

/** Literals as they are. Tensors, lists and objects as a short description. */
function printableValue(value: unknown): unknown {
  if (typeof value === 'number') return new PythonFloat(value);
  if (value === null || typeof value !== 'object') return value;
  if ('shape' in value && 'data' in value) return `tensor of shape [${(value.shape as number[]).join(', ')}]`;
  return Array.isArray(value) ? `list of ${value.length}` : 'object';
}
