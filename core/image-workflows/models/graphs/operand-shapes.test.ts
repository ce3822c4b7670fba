import { expect, test } from 'vitest';
import { GraphBuilder, readOnnxOutline } from '#core/tensors';
import { operandShape } from './operand-shapes.ts';

test('shapes of stored weights, as they are, as floats of 32 bits, and transposed', async () => {
  const stored = (type: string, shape: number[]) => ({ file: 'x', type, shape, start: 0, end: 6 });
  const builder = new GraphBuilder(
    new Map([
      ['plain', stored('F32', [2, 3])],
      ['half', stored('F16', [2, 3])],
      ['eight.weight', stored('F8_E4M3', [2, 3])],
      ['eight.scale_weight', stored('F32', [])],
    ]),
  );
  const floats = ['plain', 'half', 'eight.weight'].map((name) => builder.externalFloats(name));
  const turned = builder.node('Transpose', [floats[1]!], { perm: [1, 0] });
  const product = builder.node('MatMul', ['x', turned]);
  const bytes = builder.buildModel([], []);
  const outline = await readOnnxOutline(bytes.length, async (start, end) => bytes.slice(start, end));
  for (const name of floats) expect(operandShape(outline, name)).toEqual([2, 3]);
  expect(operandShape(outline, turned)).toEqual([3, 2]);
  expect(operandShape(outline, product)).toBeUndefined();
  expect(operandShape(outline, 'x')).toBeUndefined();
});
