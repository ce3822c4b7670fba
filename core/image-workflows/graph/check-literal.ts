import type { WorkflowFiles } from '../files/workflow-files.ts';
import { choicesOf, inputConfig } from '../nodes/kernel/describe.ts';
import type { Input } from '../nodes/kernel/inputs.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';
import { ConversionError, convertLiteral } from '../python/convert-literal.ts';
import { pythonNumber, pythonRepr, pythonStr } from '../python/python-repr.ts';
import { isPythonObject, type PythonObject, type PythonValue } from '../python/python-value.ts';
import { type InputError, toPrintable } from './input-error.ts';

/** One input of the node that is checked. */
export interface CheckedInput {
  type: AnyNode;
  name: string;
  input: Input<unknown, boolean>;
}

/** The facts of an error that depend on the check. The rest of `InputError` follows from the input. */
interface LiteralFault {
  type: string;
  message: string;
  details: string;
  extra?: Record<string, unknown>;
  /** The list of choices is too long to be quoted. */
  omitsConfig?: boolean;
}

/** Lists of choices up to this length are quoted in errors. */
const MAX_QUOTED_CHOICES = 20;

/** Converts a literal to the input's type, in `inputs`, and checks its range and choice. */
export async function checkLiteral(
  checked: CheckedInput,
  inputs: PythonObject,
  files: WorkflowFiles,
): Promise<InputError | undefined> {
  const { type, name, input } = checked;
  unwrapValue(inputs, name);
  const fault =
    convert(checked, inputs) ??
    (type.validate?.inputs.includes(name) ? undefined : rangeFault(checked, inputs.get(name)!)) ??
    (await choiceFault(checked, inputs.get(name)!, files));
  if (!fault) return undefined;
  return {
    type: fault.type,
    message: fault.message,
    details: fault.details,
    extra_info: {
      input_name: name,
      input_config: fault.omitsConfig ? null : await inputConfig(type, input, files),
      received_value: toPrintable(inputs.get(name)!),
      ...fault.extra,
    },
  };
}

/** `{"__value__": …}` is the literal in it. */
function unwrapValue(inputs: PythonObject, name: string): void {
  const value = inputs.get(name)!;
  if (isPythonObject(value) && value.has('__value__')) inputs.set(name, value.get('__value__') ?? null);
}

function convert({ name, input }: CheckedInput, inputs: PythonObject): LiteralFault | undefined {
  if (typeof input.type !== 'string') return undefined;
  const value = inputs.get(name)!;
  try {
    inputs.set(name, convertLiteral(input.type, value));
    return undefined;
  } catch (cause) {
    if (!(cause instanceof ConversionError)) throw cause;
    return {
      type: 'invalid_input_type',
      message: `Failed to convert an input value to a ${input.type} value`,
      details: `${name}, ${pythonStr(value)}, ${cause.message}`,
      extra: { exception_message: cause.message },
    };
  }
}

function rangeFault({ name, input }: CheckedInput, value: PythonValue): LiteralFault | undefined {
  if (typeof value !== 'bigint' && typeof value !== 'number') return undefined;
  const { min, max } = input.options ?? {};
  const limitText = (limit: number | bigint) =>
    pythonNumber(input.type === 'FLOAT' ? Number(limit) : BigInt(limit));
  if (min !== undefined && value < min)
    return {
      type: 'value_smaller_than_min',
      message: `Value ${pythonNumber(value)} smaller than min of ${limitText(min)}`,
      details: name,
    };
  if (max !== undefined && value > max)
    return {
      type: 'value_bigger_than_max',
      message: `Value ${pythonNumber(value)} bigger than max of ${limitText(max)}`,
      details: name,
    };
  return undefined;
}

/** Modern nodes check their choices when they run. A node's own validator replaces this check. */
async function choiceFault(
  { type, name, input }: CheckedInput,
  value: PythonValue,
  files: WorkflowFiles,
): Promise<LiteralFault | undefined> {
  // The variant decides which inputs a node has, so a wrong one cannot wait until the node runs.
  const waits = type.modern && !input.dynamic;
  if (waits || type.validate?.inputs.includes(name)) return undefined;
  const choices = await choicesOf(input, files);
  if (!choices || (typeof value === 'string' && choices.includes(value))) return undefined;
  const isLong = choices.length > MAX_QUOTED_CHOICES;
  const list = isLong ? `(list of length ${choices.length})` : pythonRepr([...choices]);
  return {
    type: 'value_not_in_list',
    message: 'Value not in list',
    details: `${name}: '${pythonStr(value)}' not in ${list}`,
    omitsConfig: isLong,
  };
}
