/** Nodes for lists: later nodes run once for each item. */
import { group, matching } from '../kernel/dynamic-inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';

const createList = node({
  name: 'CreateList',
  displayName: 'Create List',
  category: 'logic',
  module: 'comfy_extras.nodes_toolkit',
  modern: true,
  description: 'Makes a list of what is linked. The nodes that use it run once for each item.',
  inputsAreLists: true,
  inputs: { inputs: group('input', matching('type'), { prefix: 'input', min: 1, max: 10 }) },
  outputs: [{ type: 'COMFY_MATCHTYPE_V3', name: 'list', list: true, matches: 'type' }],
  run: ({ inputs }) => [Object.values(inputs as unknown as Record<string, unknown[]>).flat()],
});

export const listNodes: AnyNode[] = [createList];
