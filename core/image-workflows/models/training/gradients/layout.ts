/** Gradients of operators that move, repeat or cut elements. */
import {
  axisFrom0,
  type GradientRule,
  listOf,
  numberOf,
  type RuleContext,
  reshaped,
  single,
  unbroadcast,
} from './gradient-rule.ts';

const toInputShape: GradientRule = single(({ inputs }, gradient, context) => [
  reshaped(context, gradient, context.shape(inputs[0]!)),
]);

const expand: GradientRule = single(({ inputs, outputs }, gradient, context) => [
  unbroadcast(context, gradient, context.shape(outputs[0]!), context.shape(inputs[0]!)),
]);

const transpose: GradientRule = single((node, gradient, context) => {
  const { length: rank } = context.shape(node.inputs[0]!);
  const reversed = Array.from({ length: rank }, (_, axis) => rank - 1 - axis);
  const perm = listOf(node, 'perm', reversed);
  const inverse = perm.map((_, axis) => perm.indexOf(axis));
  return [context.build.op('Transpose', [gradient], { perm: inverse })];
});

const slice: GradientRule = single(({ inputs }, gradient, context) => {
  const [data = '', startsOf = '', endsOf = '', axesOf = '', stepsOf = ''] = inputs;
  const shape = context.shape(data);
  const [starts, ends] = [context.ints(startsOf), context.ints(endsOf)];
  const axes = axesOf === '' ? starts.map((_, axis) => axis) : context.ints(axesOf);
  if (stepsOf !== '' && context.ints(stepsOf).some((step) => step !== 1))
    throw new Error('the gradient of a Slice with steps other than 1 is not known here');
  const [before, after] = [shape.map(() => 0), shape.map(() => 0)];
  for (const [index, axisOfInput] of axes.entries()) {
    const axis = axisFrom0(axisOfInput, shape.length);
    const size = shape[axis]!;
    const clamp = (at: number) => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
    before[axis] = clamp(starts[index]!);
    after[axis] = size - clamp(ends[index]!);
  }
  return [padded(context, gradient, before, after)];
});

const padded = ({ build }: RuleContext, value: string, before: readonly number[], after: readonly number[]) =>
  build.op('Pad', [value, build.ints(...before, ...after), build.float(0)], { mode: 'constant' });

const cut = ({ build }: RuleContext, value: string, axis: number, start: number, end: number) =>
  build.slice(value, build.ints(start), build.ints(end), axis);

const concat: GradientRule = single((node, gradient, context) => {
  const axis = axisFrom0(numberOf(node, 'axis', 0), context.shape(node.outputs[0]!).length);
  let start = 0;
  return node.inputs.map((input) => {
    const from = start;
    start += context.shape(input)[axis]!;
    return context.needs(input) ? cut(context, gradient, axis, from, start) : undefined;
  });
});

const split: GradientRule = (node, gradients, context) => {
  const { build } = context;
  const axis = numberOf(node, 'axis', 0);
  const parts = node.outputs.map((output, index) => {
    const zeros = () => build.op('Expand', [build.float(0), build.ints(...context.shape(output))]);
    return gradients[index] ?? zeros();
  });
  return [build.op('Concat', parts, { axis })];
};

const pad: GradientRule = single(({ inputs, attributes }, gradient, context) => {
  if ((attributes.mode ?? 'constant') !== 'constant' || (inputs[3] ?? '') !== '')
    throw new Error(`the gradient of a Pad of the kind ${attributes.mode} is not known here`);
  const shape = context.shape(inputs[0]!);
  const pads = context.ints(inputs[1]!);
  return [
    shape.reduce((value, size, axis) => {
      const start = pads[axis]!;
      const isPadded = start !== 0 || pads[axis + shape.length] !== 0;
      return isPadded ? cut(context, value, axis, start, start + size) : value;
    }, gradient),
  ];
});

/** Nearest neighbours by rounding down: the sum over the cells that repeat one. Only the last two axes may change. */
const resize: GradientRule = single((node, gradient, context) => {
  const { build } = context;
  const { mode = 'nearest', coordinate_transformation_mode: way, nearest_mode: rounding } = node.attributes;
  const [from, to] = [context.shape(node.inputs[0]!), context.shape(node.outputs[0]!)];
  const isOuter = (axis: number) => axis < from.length - 2;
  if (mode !== 'nearest' || way !== 'asymmetric' || rounding !== 'floor')
    throw new Error(`the gradient of a Resize of the kind ${mode} ${way} ${rounding} is not known here`);
  if (from.some((side, axis) => isOuter(axis) && side !== to[axis]))
    throw new Error('the gradient of a Resize along more than two axes is not known here');
  // The products with matrices of ones and zeros: rows are cells of the input, columns those of the output.
  const ones = (axis: number): [number, number, Float32Array] => {
    const [small, large] = [from[axis]!, to[axis]!];
    const numbers = new Float32Array(small * large);
    for (let cell = 0; cell < large; cell++) numbers[Math.floor((cell * small) / large) * large + cell] = 1;
    return [small, large, numbers];
  };
  const [rows, allRows, down] = ones(from.length - 2);
  const [columns, allColumns, across] = ones(from.length - 1);
  const narrow = Float32Array.from(
    across,
    (_, at) => across[(at % columns) * allColumns + Math.floor(at / columns)]!,
  );
  const summed = build.op('MatMul', [gradient, build.constant([allColumns, columns], narrow)]);
  return [build.op('MatMul', [build.constant([rows, allRows], down), summed])];
});

/** Sums and means: every element gets the gradient of the result, or its share. */
const reduction = (isMean: boolean): GradientRule =>
  single((node, gradient, context) => {
    const { build } = context;
    const shape = context.shape(node.inputs[0]!);
    const listed = (node.inputs[1] ?? '') === '' ? listOf(node, 'axes', []) : context.ints(node.inputs[1]!);
    const all = shape.map((_, axis) => axis);
    const axes = listed.length === 0 ? all : listed.map((axis) => axisFrom0(axis, shape.length));
    const withOnes = reshaped(
      context,
      gradient,
      shape.map((side, axis) => (axes.includes(axis) ? 1 : side)),
    );
    const count = axes.reduce((product, axis) => product * shape[axis]!, 1);
    const share = isMean ? build.op('Mul', [withOnes, build.float(1 / count)]) : withOnes;
    return [build.op('Expand', [share, build.ints(...shape)])];
  });

/** `TensorProto.DataType` of 32-bit floats. */
const FLOAT = 1;

/** Exporters convert floats to what they are already. */
const cast: GradientRule = single((node, gradient) => {
  if (numberOf(node, 'to', 0) !== FLOAT)
    throw new Error('the gradient of a Cast to another type than 32-bit floats is not known here');
  return [gradient];
});

export const LAYOUT: Readonly<Record<string, GradientRule>> = {
  Identity: single((_, gradient) => [gradient]),
  Cast: cast,
  Reshape: toInputShape,
  Flatten: toInputShape,
  Squeeze: toInputShape,
  Unsqueeze: toInputShape,
  Expand: expand,
  Transpose: transpose,
  Slice: slice,
  Concat: concat,
  Split: split,
  Pad: pad,
  Resize: resize,
  ReduceSum: reduction(false),
  ReduceMean: reduction(true),
};
