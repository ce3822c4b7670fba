/** Vision encoders and what takes their answers, of few weights: graphs that are formulas. */
import type { Files } from '#core/host';
import { GraphBuilder, type Slot } from '#core/local-models/registry/formats/onnx/graph-builder.ts';

const FLOAT = 1;
const builder = () => new GraphBuilder('', new Map());
const floats = (name: string, shape: (string | number)[]): Slot => ({ name, type: 'float32', shape });
const json = (files: Pick<Files, 'write'>, path: string, value: unknown) =>
  files.write(path, new TextEncoder().encode(JSON.stringify(value)));

/** Four tokens: the mean colours of 8 x 8 pixels of 16 x 16, twice them in the last layer; their mean is the embedding. */
export async function writeImageEncoder(files: Pick<Files, 'write'>, folder: string): Promise<void> {
  const graph = builder();
  const means = graph.op('AveragePool', ['pixel_values'], { kernel_shape: [8, 8], strides: [8, 8] });
  const rows = graph.op('Reshape', [means, graph.integers([0, 3, 4])]);
  const tokens = graph.op('Transpose', [rows], { perm: [0, 2, 1] });
  const scope = '/vision_model/encoder/layers.0/layer_norm1';
  graph.op('Mul', [tokens, graph.float(2)], {}, 'last_hidden_state', `${scope}/Mul`);
  graph.op('ReduceMean', ['last_hidden_state'], { axes: [1], keepdims: 0 }, 'image_embeds');
  await files.write(
    `${folder}/model.onnx`,
    graph.build(
      [floats('pixel_values', ['batch', 3, 16, 16])],
      [floats('image_embeds', ['batch', 3]), floats('last_hidden_state', ['batch', 4, 3])],
    ),
  );
  await json(files, `${folder}/config.json`, { model_type: 'clip_vision_model', image_size: 16 });
}

/** Tokens of 4 numbers: red, green, blue and red again. */
export async function writeStyleModel(files: Pick<Files, 'write'>, path: string): Promise<void> {
  const graph = builder();
  const weights = graph.constant('redux_up.weight', [3, 4], [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]);
  graph.op('MatMul', ['tokens', weights], {}, 'image_embeds');
  await files.write(
    path,
    graph.build([floats('tokens', ['batch', 'count', 3])], [floats('image_embeds', ['batch', 'count', 4])]),
  );
}

/**
 * Noise = half of the latent + the mean of what else it sees of `channels` + the mean of the prompt + that of the labels.
 * `width`: of the labels; undefined: one whole number.
 */
export async function writeToldUnet(
  files: Pick<Files, 'write'>,
  folder: string,
  { channels = 4, width }: { channels?: number; width?: number },
): Promise<void> {
  const graph = builder();
  const part = (from: number, to: number) =>
    graph.op('Slice', ['sample', graph.integers([from]), graph.integers([to]), graph.integers([1])]);
  const mean = (of: string, axes: number[]) => graph.op('ReduceMean', [of], { axes, keepdims: 1 });
  const square = (of: string) => graph.op('Reshape', [of, graph.integers([-1, 1, 1, 1])]);
  const labels = graph.op('Cast', ['class_labels'], { to: FLOAT });
  const time = graph.op('Mul', [graph.op('Cast', ['timestep'], { to: FLOAT }), graph.float(0.0001)]);
  const all = [
    square(mean('encoder_hidden_states', [1, 2])),
    square(width === undefined ? labels : mean(labels, [1])),
    time,
    ...(channels > 4 ? [mean(part(4, channels), [1])] : []),
  ];
  const half = graph.op('Mul', [part(0, 4), graph.float(0.5)]);
  const sum = all.reduce((before, one) => graph.op('Add', [before, one]), half);
  graph.op('Mul', [sum, graph.float(1)], {}, 'out_sample');
  const labelSlot: Slot =
    width === undefined
      ? { name: 'class_labels', type: 'int64', shape: ['batch'] }
      : floats('class_labels', ['batch', width]);
  await files.write(
    `${folder}/model.onnx`,
    graph.build(
      [
        floats('sample', ['batch', channels, 'height', 'width']),
        { name: 'timestep', type: 'int64', shape: ['one'] },
        floats('encoder_hidden_states', ['batch', 'tokens', 4]),
        labelSlot,
      ],
      [floats('out_sample', ['batch', 4, 'height', 'width'])],
    ),
  );
  await json(files, `${folder}/config.json`, { in_channels: channels });
}

/** An autoencoder's half that makes 4 x 4 pixels of each cell. */
export async function writeSmallerDecoder(files: Pick<Files, 'write'>, folder: string): Promise<void> {
  const graph = builder();
  const colours = graph.op('Slice', ['latent_sample', ...[[0], [3], [1]].map((one) => graph.integers(one))]);
  graph.op('Tile', [colours, graph.integers([1, 1, 4, 4])], {}, 'sample');
  await files.write(
    `${folder}/model.onnx`,
    graph.build(
      [floats('latent_sample', ['batch', 4, 'height', 'width'])],
      [floats('sample', ['batch', 3, 'tall', 'wide'])],
    ),
  );
  await json(files, `${folder}/config.json`, {
    latent_channels: 4,
    scaling_factor: 0.08333,
    block_out_channels: [1, 1, 1],
  });
}
