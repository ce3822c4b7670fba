import type { WorkflowFiles } from '../files/workflow-files.ts';
import { choicesOf, inputConfig } from '../nodes/kernel/describe.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';
import { pythonRepr, pythonTypeName } from '../python/python-repr.ts';
import { isPythonObject, type PythonValue } from '../python/python-value.ts';
import type { CheckedInput } from './check-literal.ts';
import type { PromptGraph } from './graph.ts';
import { type InputError, PythonException, toPrintable } from './input-error.ts';
import type { NodeTypes } from './node-types.ts';
import { typesMatch } from './types-match.ts';

/**
 * Checks that a link names an output of a type that the input takes.
 * @throws `PythonException` for a link to a node or an output that does not exist
 */
export async function checkLink(
  { type, name, input }: CheckedInput,
  link: readonly PythonValue[],
  graph: PromptGraph,
  types: NodeTypes,
  files: WorkflowFiles,
): Promise<InputError | undefined> {
  const received_value = toPrintable([...link]);
  if (link.length !== 2)
    return {
      type: 'bad_linked_input',
      message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
      details: name,
      extra_info: {
        input_name: name,
        input_config: await inputConfig(type, input, files),
        received_value,
      },
    };
  const received = linkedType(link as [PythonValue, PythonValue], graph, types);
  const expected = (await choicesOf(input, files)) ?? (input.type as string);
  const isModernChoice = type.modern && typeof input.type !== 'string';
  if (typesMatch(received, isModernChoice ? 'COMBO' : expected)) return undefined;
  return {
    type: 'return_type_mismatch',
    message: 'Return type mismatch between linked nodes',
    details: `${name}, received_type(${typeText(received)}) mismatch input_type(${typeText(expected)})`,
    extra_info: {
      input_name: name,
      input_config: await inputConfig(type, input, files),
      received_type: received,
      linked_node: received_value,
    },
  };
}

/** The type of the output that a link names. */
function linkedType(
  [id, slot]: readonly [PythonValue, PythonValue],
  graph: PromptGraph,
  types: NodeTypes,
): string | readonly string[] {
  const source = typeof id === 'string' ? graph.get(id) : undefined;
  if (!source) {
    if (isPythonObject(id) || Array.isArray(id))
      throw new PythonException('TypeError', `unhashable type: '${pythonTypeName(id)}'`);
    throw new PythonException('KeyError', pythonRepr(id));
  }
  return outputType(types.get(source.className)!, slot);
}

function outputType(type: AnyNode, slot: PythonValue): string | readonly string[] {
  if (typeof slot !== 'bigint')
    throw new PythonException(
      'TypeError',
      `tuple indices must be integers or slices, not ${pythonTypeName(slot)}`,
    );
  const output = type.outputs.at(Number(slot));
  if (!output) throw new PythonException('IndexError', 'tuple index out of range');
  return output.type;
}

const typeText = (type: string | readonly string[]) =>
  typeof type === 'string' ? type : pythonRepr([...type]);
