/** Nodes that compute and convert numbers. */
import { group } from '../kernel/dynamic-inputs.ts';
import { anyOf, int64, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { evaluateExpression } from './expression.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const shared = { category: 'utils', modern: true } as const;

const mathExpression = node({
  ...shared,
  name: 'ComfyMathExpression',
  displayName: 'Math Expression',
  module: 'comfy_extras.nodes_math',
  description:
    'Computes an expression of the linked numbers. The inputs are called a, b, c and so on, and all together values.',
  inputs: {
    expression: string({ default: 'a + b', multiline: true }),
    values: group('value', anyOf('FLOAT,INT,BOOLEAN'), { names: LETTERS, min: 1 }),
  },
  outputs: [output('FLOAT'), output('INT'), output('BOOLEAN', 'BOOL')],
  run({ expression, values }) {
    const numbers = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'boolean' ? value : Number(value),
      ]),
    );
    const result = evaluateExpression(expression, { ...numbers, values: Object.values(numbers).map(Number) });
    return [Number(result), Math.trunc(Number(result)), Boolean(result)];
  },
});

const numberConvert = node({
  ...shared,
  name: 'ComfyNumberConvert',
  displayName: 'Number Convert',
  module: 'comfy_extras.nodes_number_convert',
  description: 'Converts a number, a text with a number, or a truth value to a FLOAT and an INT.',
  inputs: { value: anyOf('INT,FLOAT,STRING,BOOLEAN') },
  outputs: [output('FLOAT'), output('INT')],
  run({ value }) {
    const number = typeof value === 'string' ? Number(value.trim() || Number.NaN) : Number(value);
    if (!Number.isFinite(number))
      throw new TypeError(`'${String(value)}' is no number: write one such as 3 or 2.5`);
    return [number, Math.trunc(number)];
  },
});

const LARGEST_SEED = 18446744073709551615n;

const seedNode = node({
  ...shared,
  name: 'SeedNode',
  displayName: 'Seed',
  module: 'comfy_extras.nodes_primitive',
  description: 'Gives several nodes the same seed.',
  inputs: { seed: int64({ default: 0, min: 0, max: LARGEST_SEED, control_after_generate: true }) },
  outputs: [output('INT', 'seed')],
  run: ({ seed }) => [seed],
});

export const calculatingNodes: AnyNode[] = [mathExpression, numberConvert, seedNode];
