/** The errors of single nodes, as `node_errors` reports them. */
import { PythonFloat } from '../python/python-json.ts';
import { isPythonObject, type PythonValue } from '../python/python-value.ts';
import type { PromptNodeId } from './graph.ts';

export interface InputError {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
}

export interface NodeErrors {
  [id: PromptNodeId]: { errors: InputError[]; dependent_outputs: PromptNodeId[]; class_type: string };
}

/** ComfyUI's validation would fail with a Python exception here. It ends the check of the node. */
export class PythonException extends Error {
  constructor(
    /** The exception's class, such as `KeyError`. */
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

/** A value of the graph in the form that `pythonJson` prints. */
export function toPrintable(value: PythonValue): unknown {
  if (typeof value === 'number') return new PythonFloat(value);
  if (Array.isArray(value)) return value.map(toPrintable);
  if (!isPythonObject(value)) return value;
  return new Map([...value].map(([key, member]) => [key, toPrintable(member)]));
}
