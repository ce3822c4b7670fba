/**
 * Parts of tiny models, with the names that exporters use.
 * A text encoder of two layers that each double, a UNet for control nets and adapters, a control net, and transformers
 * of both kinds.
 */
import type { Files } from '#core/host';
import { GraphBuilder, type ValueInfo } from '#core/tensors';
import type { SafetensorsEntry } from '#core/tensors/read-safetensors.ts';
import { tinyVocabulary } from './tiny-diffusion.ts';

export const PARTS_WIDTH = 4;
const identity = (width: number) =>
  Array.from({ length: width * width }, (_, at) => (at % (width + 1) === 0 ? 1 : 0));

const floats = (name: string, shape: (string | number)[]): ValueInfo => ({ name, type: 'float32', shape });
const json = (files: Pick<Files, 'write'>, path: string, value: unknown) =>
  files.write(path, new TextEncoder().encode(JSON.stringify(value)));
const builder = () => new GraphBuilder(new Map());

/**
 * The vector of a token has its number in all components. Each layer doubles it. The last norm multiplies by 1, 2, 3, 4
 * and adds 1.
 */
export async function writeTextEncoder(
  files: Pick<Files, 'write'>,
  folder: string,
  width = PARTS_WIDTH,
): Promise<void> {
  const graph = builder();
  const rows = Object.keys(tinyVocabulary).length + 1;
  const table = graph.floatInitializer(
    'text_model.embeddings.token_embedding.weight',
    [rows, width],
    Array.from({ length: rows * width }, (_, at) => Math.floor(at / width) * (1 + (at % width))),
  );
  let hidden = graph.node('Gather', [table, 'input_ids'], {}, '/text_model/embeddings/Gather_output_0');
  for (const layer of [0, 1]) {
    const scope = `/text_model/encoder/layers.${layer}`;
    const [unity] = [graph.scalarInitializer(1)];
    const normed = graph.node(
      'Mul',
      [hidden, unity],
      {},
      `${scope}/layer_norm1/Mul_output_0`,
      `${scope}/layer_norm1/Mul`,
    );
    const weight = graph.floatInitializer(`onnx::MatMul_${layer + 7}`, [width, width], identity(width));
    const name = `${scope}/self_attn/q_proj/MatMul`;
    const projected = graph.node('MatMul', [normed, weight], {}, `${name}_output_0`, name);
    hidden = graph.node('Add', [hidden, projected], {}, `${scope}/Add_output_0`, `${scope}/Add`);
  }
  const scale = graph.floatInitializer(
    'text_model.final_layer_norm.weight',
    [width],
    Array.from({ length: width }, (_, at) => at + 1),
  );
  const offset = graph.floatInitializer(
    'text_model.final_layer_norm.bias',
    [width],
    new Array(width).fill(1),
  );
  const last = graph.node('Add', [graph.node('Mul', [hidden, scale]), offset], {}, 'last_hidden_state');
  graph.node('ReduceMean', [last], { axes: [1], keepdims: 0 }, 'pooler_output');
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [{ name: 'input_ids', type: 'int64', shape: ['batch', 'tokens'] }],
      [floats('last_hidden_state', ['batch', 'tokens', width]), floats('pooler_output', ['batch', width])],
    ),
  );
  await json(files, `${folder}/config.json`, { model_type: 'clip_text_model', hidden_size: width });
  await json(files, `${folder}/vocab.json`, tinyVocabulary);
  await files.write(`${folder}/merges.txt`, new TextEncoder().encode('#version: 0.2\nc a\nca t</w>\n'));
}

/** The same graph with the tokenizer of a T5: a, cat, and the special tokens. */
export async function writeT5(files: Files, folder: string, width: number): Promise<void> {
  await writeTextEncoder(files, folder, width);
  await json(files, `${folder}/config.json`, { model_type: 't5' });
  await json(files, `${folder}/tokenizer.json`, tinySentencePieces);
}

export const tinySentencePieces = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: ['<pad>', '</s>', '<unk>'].map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
  post_processor: null,
  decoder: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 2,
    vocab: [
      ['<pad>', 0],
      ['</s>', 0],
      ['<unk>', 0],
      ['\u2581', -4],
      ['\u2581a', -1],
      ['\u2581cat', -2],
      ['c', -5],
      ['at', -5],
    ],
    byte_fallback: false,
  },
};

/**
 * The sum of the first four channels through `conv_in`, the mean of the prompt through `to_k`, and control residuals.
 * Both matrices are the identity; `to_k` is in a separate file. `channels`: those of the input.
 */
export async function writeUnet(
  files: Pick<Files, 'write'>,
  folder: string,
  channels = PARTS_WIDTH,
): Promise<void> {
  const size = PARTS_WIDTH * PARTS_WIDTH * 4;
  const stored: SafetensorsEntry = {
    name: 'onnx::MatMul_42',
    type: 'F32',
    shape: [PARTS_WIDTH, PARTS_WIDTH],
    start: 8,
    end: 8 + size,
  };
  const graph = new GraphBuilder(new Map([[stored.name, { ...stored, file: 'model.onnx_data' }]]));
  const kernel = graph.floatInitializer(
    'conv_in.weight',
    [PARTS_WIDTH, channels, 1, 1],
    Array.from({ length: PARTS_WIDTH * channels }, (_, at) =>
      at % channels === Math.floor(at / channels) ? 1 : 0,
    ),
  );
  const convolved = graph.node('Conv', ['sample', kernel], {}, undefined, '/conv_in/Conv');
  const name = '/down_blocks.0/attentions.0/transformer_blocks.0/attn2/to_k/MatMul';
  const keys = graph.node(
    'MatMul',
    ['encoder_hidden_states', graph.externalFloats(stored.name)],
    {},
    undefined,
    name,
  );
  const mean = graph.node('ReduceMean', [keys], { axes: [1, 2], keepdims: 1 });
  const prompt = graph.node('Unsqueeze', [mean, graph.int64Initializer([3])]);
  const time = graph.node('Mul', [graph.node('Cast', ['timestep'], { to: 1 }), graph.scalarInitializer(0)]);
  const added = graph.node('Add', ['down_block_0', 'mid_block_additional_residual']);
  const seen = graph.node('Add', [graph.node('Add', [convolved, prompt]), time]);
  graph.node('Add', [seen, added], {}, 'out_sample');
  const inner = ['batch', PARTS_WIDTH, 'height', 'width'];
  const bytes = new Uint8Array(8 + size);
  bytes.set(new Uint8Array(Float32Array.from(identity(PARTS_WIDTH)).buffer), 8);
  await files.write(`${folder}/model.onnx_data`, bytes);
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [
        floats('sample', ['batch', channels, 'height', 'width']),
        { name: 'timestep', type: 'int64', shape: ['one'] },
        floats('encoder_hidden_states', ['batch', 'tokens', PARTS_WIDTH]),
        floats('down_block_0', inner),
        floats('mid_block_additional_residual', inner),
      ],
      [floats('out_sample', inner)],
    ),
  );
  await json(files, `${folder}/config.json`, {
    in_channels: channels,
    block_out_channels: [PARTS_WIDTH],
    layers_per_block: 0,
  });
}

/**
 * Adds the mean colors of 8 x 8 pixels to the first block, and twice that to the middle. The fourth channel is red
 * again.
 */
export async function writeControlNet(files: Files, folder: string): Promise<void> {
  const graph = builder();
  const means = graph.node('AveragePool', ['controlnet_cond'], { kernel_shape: [8, 8], strides: [8, 8] });
  const red = graph.node('Slice', [
    means,
    graph.int64Initializer([0]),
    graph.int64Initializer([1]),
    graph.int64Initializer([1]),
  ]);
  const four = graph.node('Concat', [means, red], { axis: 1 });
  graph.node('Mul', [four, 'conditioning_scale'], {}, 'down_block_0');
  graph.node('Mul', ['down_block_0', graph.scalarInitializer(2)], {}, 'mid_block');
  const inner = ['batch', PARTS_WIDTH, 'height', 'width'];
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [
        floats('sample', inner),
        { name: 'timestep', type: 'int64', shape: ['one'] },
        floats('encoder_hidden_states', ['batch', 'tokens', PARTS_WIDTH]),
        floats('controlnet_cond', ['batch', 3, 'tall', 'wide']),
        floats('conditioning_scale', []),
      ],
      [floats('down_block_0', inner), floats('mid_block', inner)],
    ),
  );
}

const conditions = (graph: GraphBuilder) => {
  const prompt = graph.node('ReduceMean', ['encoder_hidden_states'], { axes: [1, 2], keepdims: 1 });
  const pooled = graph.node('Unsqueeze', [
    graph.node('ReduceMean', ['pooled_projections'], { axes: [1], keepdims: 1 }),
    graph.int64Initializer([2]),
  ]);
  return graph.node('Add', [prompt, pooled]);
};
const CONDITIONS = [
  floats('encoder_hidden_states', ['batch', 'tokens', PARTS_WIDTH]),
  floats('pooled_projections', ['batch', 'pooled']),
  floats('timestep', ['step']),
];

/** A transformer whose output is the latent, plus the means of the prompt and its pooled embedding, plus the time. */
export async function writeSd3Transformer(files: Files, folder: string): Promise<void> {
  const graph = builder();
  const added = graph.node('Unsqueeze', [conditions(graph), graph.int64Initializer([3])]);
  const time = graph.node('Reshape', ['timestep', graph.int64Initializer([-1, 1, 1, 1])]);
  graph.node('Add', [graph.node('Add', ['hidden_states', added]), time], {}, 'out_hidden_states');
  const latentShape = ['batch', 16, 'height', 'width'];
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [floats('hidden_states', latentShape), ...CONDITIONS],
      [floats('out_hidden_states', latentShape)],
    ),
  );
  await json(files, `${folder}/config.json`, { joint_attention_dim: PARTS_WIDTH });
}

/** Tokens plus their row and column, plus the means, plus the guidance. */
export async function writeFluxTransformer(files: Files, folder: string): Promise<void> {
  const graph = builder();
  const places = graph.node('ReduceSum', ['img_ids', graph.int64Initializer([1])], { keepdims: 1 });
  const text = graph.node('ReduceSum', ['txt_ids', graph.int64Initializer([0, 1])], { keepdims: 1 });
  const guidance = graph.node('Reshape', ['guidance', graph.int64Initializer([-1, 1, 1])]);
  const time = graph.node('Reshape', ['timestep', graph.int64Initializer([-1, 1, 1])]);
  const all = [places, text, conditions(graph), guidance, time];
  const sum = all.reduce((before, part) => graph.node('Add', [before, part]), 'hidden_states');
  graph.node('Mul', [sum, graph.scalarInitializer(1)], {}, 'out_hidden_states');
  const tokens = ['batch', 'cells', 64];
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [
        floats('hidden_states', tokens),
        ...CONDITIONS,
        floats('txt_ids', ['tokens', 3]),
        floats('img_ids', ['cells', 3]),
        floats('guidance', ['batch']),
      ],
      [floats('out_hidden_states', tokens)],
    ),
  );
  await json(files, `${folder}/config.json`, { in_channels: 64 });
}

/** A tokenizer in the form of Mistral's `tekken.json`: all bytes, then "ca" and "at". */
export const tinyTekken = {
  config: { pattern: '\\s*\\S+|\\s+', default_vocab_size: 1000, default_num_special_tokens: 3 },
  vocab: [...Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)), 'ca', 'at'].map(
    (text, rank) => ({ rank, token_bytes: btoa(text) }),
  ),
  special_tokens: ['<unk>', '<s>', '<pad>'].map((token_str, rank) => ({ rank, token_str })),
};
