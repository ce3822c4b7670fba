/** Tiny vision encoders and the models that use their output. The graphs are formulas. */
import type { Files } from '#core/host';
import { GraphBuilder, type ValueInfo } from '#core/tensors';

const FLOAT = 1;
const builder = () => new GraphBuilder(new Map());
const floats = (name: string, shape: (string | number)[]): ValueInfo => ({ name, type: 'float32', shape });
const json = (files: Pick<Files, 'write'>, path: string, value: unknown) =>
  files.write(path, new TextEncoder().encode(JSON.stringify(value)));

/**
 * Writes an encoder with four tokens, the mean colors of squares of 8 x 8 pixels in an image of 16 x 16. The last
 * layer doubles them. Their mean is the embedding.
 */
export async function writeImageEncoder(files: Pick<Files, 'write'>, folder: string): Promise<void> {
  const graph = builder();
  const means = graph.node('AveragePool', ['pixel_values'], { kernel_shape: [8, 8], strides: [8, 8] });
  const rows = graph.node('Reshape', [means, graph.int64Initializer([0, 3, 4])]);
  const tokens = graph.node('Transpose', [rows], { perm: [0, 2, 1] });
  const scope = '/vision_model/encoder/layers.0/layer_norm1';
  graph.node('Mul', [tokens, graph.scalarInitializer(2)], {}, 'last_hidden_state', `${scope}/Mul`);
  graph.node('ReduceMean', ['last_hidden_state'], { axes: [1], keepdims: 0 }, 'image_embeds');
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
      [floats('pixel_values', ['batch', 3, 16, 16])],
      [floats('image_embeds', ['batch', 3]), floats('last_hidden_state', ['batch', 4, 3])],
    ),
  );
  await json(files, `${folder}/config.json`, { model_type: 'clip_vision_model', image_size: 16 });
}

/** Tokens of 4 numbers: red, green, blue and red again. */
export async function writeStyleModel(files: Pick<Files, 'write'>, path: string): Promise<void> {
  const graph = builder();
  const weights = graph.floatInitializer('redux_up.weight', [3, 4], [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]);
  graph.node('MatMul', ['tokens', weights], {}, 'image_embeds');
  await files.write(
    path,
    graph.buildModel(
      [floats('tokens', ['batch', 'count', 3])],
      [floats('image_embeds', ['batch', 'count', 4])],
    ),
  );
}

/**
 * A UNet: noise = half of the latent + three means.
 * The means are those of the other channels of `channels`, of the prompt, and of the labels. `width`: that of the
 * labels; undefined: an integer label.
 */
export async function writeLabeledUnet(
  files: Pick<Files, 'write'>,
  folder: string,
  { channels = 4, width }: { channels?: number; width?: number },
): Promise<void> {
  const graph = builder();
  const part = (from: number, to: number) =>
    graph.node('Slice', [
      'sample',
      graph.int64Initializer([from]),
      graph.int64Initializer([to]),
      graph.int64Initializer([1]),
    ]);
  const mean = (of: string, axes: number[]) => graph.node('ReduceMean', [of], { axes, keepdims: 1 });
  const square = (of: string) => graph.node('Reshape', [of, graph.int64Initializer([-1, 1, 1, 1])]);
  const labels = graph.node('Cast', ['class_labels'], { to: FLOAT });
  const time = graph.node('Mul', [
    graph.node('Cast', ['timestep'], { to: FLOAT }),
    graph.scalarInitializer(0.0001),
  ]);
  const all = [
    square(mean('encoder_hidden_states', [1, 2])),
    square(width === undefined ? labels : mean(labels, [1])),
    time,
    ...(channels > 4 ? [mean(part(4, channels), [1])] : []),
  ];
  const half = graph.node('Mul', [part(0, 4), graph.scalarInitializer(0.5)]);
  const sum = all.reduce((before, part) => graph.node('Add', [before, part]), half);
  graph.node('Mul', [sum, graph.scalarInitializer(1)], {}, 'out_sample');
  const labelSlot: ValueInfo =
    width === undefined
      ? { name: 'class_labels', type: 'int64', shape: ['batch'] }
      : floats('class_labels', ['batch', width]);
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
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

/** The decoder of an autoencoder: each cell becomes 4 x 4 pixels. */
export async function writeSmallerDecoder(files: Pick<Files, 'write'>, folder: string): Promise<void> {
  const graph = builder();
  const colors = graph.node('Slice', [
    'latent_sample',
    ...[[0], [3], [1]].map((value) => graph.int64Initializer(value)),
  ]);
  graph.node('Tile', [colors, graph.int64Initializer([1, 1, 4, 4])], {}, 'sample');
  await files.write(
    `${folder}/model.onnx`,
    graph.buildModel(
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
