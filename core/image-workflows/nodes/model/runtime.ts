/**
 * Nodes that change how torch computes a network. They have no effect here: an ONNX graph fixes its number types, and
 * its runtime has its own compiler.
 */
import { choice, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const computeDtype = node({
  name: 'ModelComputeDtype',
  displayName: 'ModelComputeDtype',
  category: 'advanced/debug/model',
  module: 'comfy_extras.nodes_model_advanced',
  description:
    'Outputs the model unchanged: its ONNX graph fixes the type of its numbers. Export the model with another type to change it.',
  inputs: { model: link('MODEL', undefined), dtype: choice(['default', 'fp32', 'fp16', 'bf16']) },
  outputs: [output('MODEL')],
  run: ({ model }) => [model],
});

const compile = node({
  name: 'TorchCompileModel',
  category: '_for_testing',
  module: 'comfy_extras.nodes_torch_compile',
  modern: true,
  experimental: true,
  description:
    'Outputs the model unchanged: the ONNX runtime compiles its graph when it opens. backend has no effect.',
  inputs: { model: link('MODEL'), backend: choice(['inductor', 'cudagraphs'], { multiselect: false }) },
  outputs: [output('MODEL')],
  run: ({ model }) => [model],
});

export const modelRuntimeNodes: AnyNode[] = [computeDtype, compile];
