import { expect, test } from 'vitest';
import {
  encodeProtobuf,
  type ProtobufField,
  protobufMessage,
} from '#core/tensors/onnx-file/encode-protobuf.ts';
import { readOnnxOutline } from '#core/tensors/onnx-file/read-graph-file.ts';
import { diffusersName } from './ldm-names.ts';
import { moduleWeights } from './module-weights.ts';

const text = (field: number, ...values: string[]): ProtobufField[] => values.map((value) => [field, value]);
const weight = (name: string): ProtobufField => [
  5,
  protobufMessage([1, 2], [1, 3], [2, 1], [8, name], [9, new Uint8Array(24)]),
];
const node = (name: string, operator: string, inputs: string[], ...rest: ProtobufField[]): ProtobufField => [
  1,
  protobufMessage(...text(1, ...inputs), [2, `${name}_out`], [3, name], [4, operator], ...rest),
];
const scopes = (list: string): ProtobufField => [
  9,
  protobufMessage([1, 'pkg.torch.onnx.name_scopes'], [2, list]),
];
const transposed: ProtobufField = [5, protobufMessage([1, 'transB'], [3, 1], [20, 2])];

test('assigns weights to modules for all naming schemes of exporters', async () => {
  const file = encodeProtobuf(
    protobufMessage([
      7,
      protobufMessage(
        node('/mid/to_q/MatMul', 'MatMul', ['x', 'onnx::MatMul_1']),
        node('node_linear_2', 'MatMul', ['x', 'val_2'], scopes("['', 'mid', 'mid.to_k', 'linear_2']")),
        node('gemm', 'Gemm', ['x', 'time.linear.weight'], transposed),
        node('/conv_in/Conv', 'Conv', ['x', 'conv_in.weight']),
        node('turn', 'Transpose', ['text_model.q.weight']),
        ...['onnx::MatMul_1', 'val_2', 'time.linear.weight', 'conv_in.weight', 'text_model.q.weight'].map(
          weight,
        ),
      ),
    ]),
  );
  const outline = await readOnnxOutline(file.length, async (start, end) => file.subarray(start, end));
  const found = [...moduleWeights(outline)].map(([module, { initializer, isTransposed }]) => [
    module,
    initializer.name,
    isTransposed,
  ]);
  expect(found).toEqual([
    ['mid_to_q', 'onnx::MatMul_1', true],
    ['mid_to_k', 'val_2', true],
    ['time_linear', 'time.linear.weight', false],
    ['conv_in', 'conv_in.weight', false],
    ['q', 'text_model.q.weight', false],
  ]);
  const location = outline.initializers[0]?.location;
  expect(location && location.end - location.start).toBe(24);
  const cut = readOnnxOutline(file.length - 5, async (start, end) => file.subarray(start, end));
  await expect(cut).rejects.toThrow('cut off');
});

test.each([
  ['input_blocks_0_0', 'conv_in'],
  [
    'input_blocks_4_1_transformer_blocks_0_attn1_to_q',
    'down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q',
  ],
  ['input_blocks_3_0_op', 'down_blocks_0_downsamplers_0_conv'],
  ['input_blocks_5_0_in_layers_2', 'down_blocks_1_resnets_1_conv1'],
  ['middle_block_1_proj_in', 'mid_block_attentions_0_proj_in'],
  ['middle_block_2_out_layers_3', 'mid_block_resnets_1_conv2'],
  ['output_blocks_2_1_conv', 'up_blocks_0_upsamplers_0_conv'],
  ['output_blocks_5_2_conv', 'up_blocks_1_upsamplers_0_conv'],
  ['output_blocks_0_0_skip_connection', 'up_blocks_0_resnets_0_conv_shortcut'],
  ['output_blocks_4_1_proj_out', 'up_blocks_1_attentions_1_proj_out'],
  ['input_blocks_1_0_in_layers_0', 'down_blocks_0_resnets_0_norm1'],
  ['middle_block_0_out_layers_0', 'mid_block_resnets_0_norm2'],
  ['out_0', 'conv_norm_out'],
  ['up_blocks_1_conv', 'up_blocks_1_conv'],
])('%s is %s in diffusers', (ldm, diffusers) => expect(diffusersName(ldm)).toBe(diffusers));
