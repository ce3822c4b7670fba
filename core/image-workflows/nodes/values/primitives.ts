/** Constants, written into a graph once and used by several nodes. */
import { boolean, float, int64, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const LIMIT = 9223372036854775807n;
const shared = { category: 'utils/primitive', module: 'comfy_extras.nodes_primitive', modern: true } as const;

export const primitiveNodes: AnyNode[] = [
  node({
    ...shared,
    name: 'PrimitiveString',
    displayName: 'String',
    inputs: { value: string({ multiline: false }) },
    outputs: [output('STRING')],
    run: ({ value }) => [value],
  }),
  node({
    ...shared,
    name: 'PrimitiveStringMultiline',
    displayName: 'String (Multiline)',
    inputs: { value: string({ multiline: true }) },
    outputs: [output('STRING')],
    run: ({ value }) => [value],
  }),
  node({
    ...shared,
    name: 'PrimitiveInt',
    displayName: 'Int',
    inputs: { value: int64({ min: -LIMIT, max: LIMIT, control_after_generate: true }) },
    outputs: [output('INT')],
    run: ({ value }) => [value],
  }),
  node({
    ...shared,
    name: 'PrimitiveFloat',
    displayName: 'Float',
    inputs: { value: float({ min: -LIMIT, max: LIMIT }) },
    outputs: [output('FLOAT')],
    run: ({ value }) => [value],
  }),
  node({
    ...shared,
    name: 'PrimitiveBoolean',
    displayName: 'Boolean',
    inputs: { value: boolean() },
    outputs: [output('BOOLEAN')],
    run: ({ value }) => [value],
  }),
];
