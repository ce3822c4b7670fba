/**
 * A model without weights in the diffusers ONNX layout, whose graphs are formulas.
 * The vectors of a token are its number / 100. The noise is x / 2 + the mean of the prompt's vectors + time / 10,000.
 * An image is the first three channels, repeated 8 x 8 times. A latent is the mean of 8 x 8 pixels, with the first
 * channel again as the fourth.
 */
import type { Files } from '#core/host';
import { GraphBuilder, type ValueInfo } from '#core/tensors';

const FLOAT = 1;

export const tinyVocabulary: Record<string, number> = {
  'a</w>': 1,
  'cat</w>': 2,
  ca: 3,
  't</w>': 4,
  '<|startoftext|>': 5,
  '<|endoftext|>': 6,
  c: 7,
  a: 8,
};

export async function writeTinyDiffusion(
  files: Pick<Files, 'write'>,
  folder: string,
  pipeline = 'StableDiffusionPipeline',
): Promise<void> {
  const json = (path: string, value: unknown) =>
    files.write(`${folder}/${path}`, new TextEncoder().encode(JSON.stringify(value)));
  await json('model_index.json', { _class_name: pipeline });
  await json('scheduler/scheduler_config.json', {
    _class_name: 'PNDMScheduler',
    beta_start: 0.00085,
    beta_end: 0.012,
    beta_schedule: 'scaled_linear',
    num_train_timesteps: 1000,
  });
  await json('vae_decoder/config.json', {
    latent_channels: 4,
    scaling_factor: 0.18215,
    block_out_channels: [1, 1, 1, 1],
  });
  await json('tokenizer/vocab.json', tinyVocabulary);
  await files.write(
    `${folder}/tokenizer/merges.txt`,
    new TextEncoder().encode('#version: 0.2\nc a\nca t</w>\n'),
  );
  for (const [name, graph] of Object.entries({
    text_encoder: textEncoder(),
    unet: unet(),
    vae_decoder: decoder(),
    vae_encoder: encoder(),
  }))
    await files.write(`${folder}/${name}/model.onnx`, graph);
}

const builder = () => new GraphBuilder(new Map());
const floats = (name: string, shape: (string | number)[]): ValueInfo => ({ name, type: 'float32', shape });

function textEncoder(): Uint8Array<ArrayBuffer> {
  const graph = builder();
  const ids = graph.node('Cast', ['input_ids'], { to: FLOAT });
  const column = graph.node('Mul', [
    graph.node('Unsqueeze', [ids, graph.int64Initializer([2])]),
    graph.scalarInitializer(0.01),
  ]);
  const vectors = graph.node('Concat', [column, column, column, column], { axis: 2 }, 'last_hidden_state');
  graph.node('ReduceMean', [vectors], { axes: [1], keepdims: 0 }, 'pooler_output');
  return graph.buildModel(
    [{ name: 'input_ids', type: 'int64', shape: ['batch', 'tokens'] }],
    [floats('last_hidden_state', ['batch', 'tokens', 4]), floats('pooler_output', ['batch', 4])],
  );
}

function unet(): Uint8Array<ArrayBuffer> {
  const graph = builder();
  const mean = graph.node('ReduceMean', ['encoder_hidden_states'], { axes: [1, 2], keepdims: 1 });
  const prompt = graph.node('Unsqueeze', [mean, graph.int64Initializer([3])]);
  const time = graph.node('Mul', [
    graph.node('Cast', ['timestep'], { to: FLOAT }),
    graph.scalarInitializer(0.0001),
  ]);
  const half = graph.node('Mul', ['sample', graph.scalarInitializer(0.5)]);
  graph.node('Add', [graph.node('Add', [half, prompt]), time], {}, 'out_sample');
  const latentShape = ['batch', 4, 'height', 'width'];
  return graph.buildModel(
    [
      floats('sample', latentShape),
      { name: 'timestep', type: 'int64', shape: ['one'] },
      floats('encoder_hidden_states', ['batch', 'tokens', 4]),
    ],
    [floats('out_sample', latentShape)],
  );
}

function decoder(): Uint8Array<ArrayBuffer> {
  const graph = builder();
  const [from, to, axis] = [
    graph.int64Initializer([0]),
    graph.int64Initializer([3]),
    graph.int64Initializer([1]),
  ];
  const colors = graph.node('Slice', ['latent_sample', from, to, axis]);
  graph.node('Tile', [colors, graph.int64Initializer([1, 1, 8, 8])], {}, 'sample');
  return graph.buildModel(
    [floats('latent_sample', ['batch', 4, 'height', 'width'])],
    [floats('sample', ['batch', 3, 'tall', 'wide'])],
  );
}

function encoder(): Uint8Array<ArrayBuffer> {
  const graph = builder();
  const means = graph.node('AveragePool', ['sample'], { kernel_shape: [8, 8], strides: [8, 8] });
  const [from, to, axis] = [
    graph.int64Initializer([0]),
    graph.int64Initializer([1]),
    graph.int64Initializer([1]),
  ];
  const first = graph.node('Slice', [means, from, to, axis]);
  const latent = graph.node('Concat', [means, first], { axis: 1 });
  graph.node('Concat', [latent, latent], { axis: 1 }, 'latent_parameters');
  return graph.buildModel(
    [floats('sample', ['batch', 3, 'tall', 'wide'])],
    [floats('latent_parameters', ['batch', 8, 'height', 'width'])],
  );
}
