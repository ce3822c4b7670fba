/** Convolutions in a row that training keeps apart, as the only convolution that they amount to. */
import { add, reshape, transpose } from '../../layers/elementary.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';

/**
 * The layers `conv.0`, `conv.1` and `conv.2` with kernels of 1, 3 and 1, and `sk` next to them with a kernel of 1.
 * Runtimes compute the joint kernel when the graph opens, since it depends on no input. Source: Wan et al., "SPAN: Swift
 * Parameter-free Attention Network", 2024, section 3.2.
 */
export function mergedConvolution(m: NetworkModule, x: Value): Value {
  const [first, middle, last, skip] = ['conv.0', 'conv.1', 'conv.2', 'sk'].map((part) => m.at(part)) as [
    NetworkModule,
    NetworkModule,
    NetworkModule,
    NetworkModule,
  ];
  const matrix = (part: NetworkModule) => {
    const [rows = 0, columns = 0] = part.shape();
    return reshape(part, part.parameter(), rows, columns);
  };
  // The matrices for each cell of the kernel: [3, 3, outputs, inputs].
  const cells = transpose(middle, middle.parameter(), 2, 3, 0, 1);
  const product = m.op('MatMul', [matrix(last), m.op('MatMul', [cells, matrix(first)])]);
  const pads = m.graph.int64Initializer([0, 0, 1, 1, 0, 0, 1, 1]);
  const kernel = add(m, transpose(m, product, 2, 3, 0, 1), m.op('Pad', [skip.parameter(), pads]));
  const sums = m.op('ReduceSum', [middle.parameter(), m.graph.int64Initializer([2, 3])], { keepdims: 0 });
  const column = (part: NetworkModule) => reshape(part, part.parameter('bias'), -1, 1);
  const inner = add(m, m.op('MatMul', [sums, column(first)]), column(middle));
  const shift = add(m, add(m, m.op('MatMul', [matrix(last), inner]), column(last)), column(skip));
  return m.op('Conv', [x, kernel, reshape(m, shift, -1)], {
    kernel_shape: [3, 3],
    strides: [1, 1],
    pads: [1, 1, 1, 1],
  });
}
