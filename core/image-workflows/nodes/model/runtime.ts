/** What changes how a network is computed elsewhere. A graph says that itself, and its runtime has its own compiler. */
import { choice, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const computeDtype = node({
  name: 'ModelComputeDtype',
  displayName: 'ModelComputeDtype',
  category: 'advanced/debug/model',
  module: 'comfy_extras.nodes_model_advanced',
  description:
    'Hands the model on as it is: a graph says with which numbers it computes. Export it with others to change that.',
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
    'Hands the model on as it is: its graph is compiled by the runtime when it is opened, whatever backend is named.',
  inputs: { model: link('MODEL'), backend: choice(['inductor', 'cudagraphs'], { multiselect: false }) },
  outputs: [output('MODEL')],
  run: ({ model }) => [model],
});

export const modelRuntimeNodes: AnyNode[] = [computeDtype, compile];
