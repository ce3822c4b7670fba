/** Whisper networks as ONNX files with the inputs and outputs of published exports, from any weights. */
import { GraphBuilder, type ValueInfo } from '#core/tensors';

export interface Weight {
  shape: number[];
  data: Float32Array;
}

/** By their names in transformers, from `encoder.` and `decoder.` on. */
export type Weights = (name: string) => Weight;

export interface WhisperShape {
  bands: number;
  width: number;
  heads: number;
  layers: number;
}

/** Gives names to the operators of a transformer. */
class Network {
  readonly graph = new GraphBuilder(new Map(), true);

  constructor(
    private readonly weights: Weights,
    private readonly shape: WhisperShape,
  ) {}

  op(type: string, inputs: string[], attributes = {}, output?: string): string {
    return this.graph.node(type, inputs, attributes, ...(output === undefined ? [] : [output]));
  }

  ints(...values: number[]): string {
    return this.graph.int64Initializer(values);
  }

  scalar(value: string): string {
    return this.op('Squeeze', [value, this.ints(0)]);
  }

  weight(name: string): string {
    const { shape, data } = this.weights(name);
    return this.graph.floatInitializer(name, shape, data);
  }

  linear(name: string, x: string, hasBias = true): string {
    const { shape, data } = this.weights(`${name}.weight`);
    const [rows = 0, columns = 0] = shape;
    const turned = new Float32Array(data.length);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        turned[column * rows + row] = data[row * columns + column]!;
    const matrix = this.graph.floatInitializer(`${name}.weight`, [columns, rows], turned);
    const product = this.op('MatMul', [x, matrix]);
    return hasBias ? this.op('Add', [product, this.weight(`${name}.bias`)]) : product;
  }

  norm(name: string, x: string): string {
    const inputs = [x, this.weight(`${name}.weight`), this.weight(`${name}.bias`)];
    return this.op('LayerNormalization', inputs, { axis: -1, epsilon: { float: 1e-5 } });
  }

  gelu(x: string): string {
    const scaled = this.op('Mul', [x, this.graph.scalarInitializer(Math.SQRT1_2)]);
    const share = this.op('Add', [this.op('Erf', [scaled]), this.graph.scalarInitializer(1)]);
    return this.op('Mul', [this.op('Mul', [x, this.graph.scalarInitializer(0.5)]), share]);
  }

  /** [1, steps, width] to [1, heads, steps, head's width]. */
  split(x: string): string {
    const { heads, width } = this.shape;
    const parts = this.op('Reshape', [x, this.ints(1, -1, heads, width / heads)]);
    return this.op('Transpose', [parts], { perm: [0, 2, 1, 3] });
  }

  /** `query` [1, steps, width]; keys and values are split. Returns the result and the attention. */
  attend(query: string, keys: string, values: string, mask?: string): [result: string, attention: string] {
    const { heads, width } = this.shape;
    const scaled = this.op('Mul', [this.split(query), this.graph.scalarInitializer((width / heads) ** -0.5)]);
    const scores = this.op('MatMul', [scaled, this.op('Transpose', [keys], { perm: [0, 1, 3, 2] })]);
    const attention = this.op('Softmax', [mask ? this.op('Add', [scores, mask]) : scores], { axis: -1 });
    const joined = this.op('Transpose', [this.op('MatMul', [attention, values])], { perm: [0, 2, 1, 3] });
    return [this.op('Reshape', [joined, this.ints(1, -1, width)]), attention];
  }

  feedForward(layer: string, x: string): string {
    const normed = this.norm(`${layer}.final_layer_norm`, x);
    const inner = this.gelu(this.linear(`${layer}.fc1`, normed));
    return this.op('Add', [x, this.linear(`${layer}.fc2`, inner)]);
  }
}

/** `encoder_model.onnx`: `input_features` to `last_hidden_state`. */
export function exportEncoder(weights: Weights, shape: WhisperShape): Uint8Array<ArrayBuffer> {
  const m = new Network(weights, shape);
  const convolve = (name: string, x: string, stride: number) =>
    m.gelu(
      m.op('Conv', [x, m.weight(`encoder.${name}.weight`), m.weight(`encoder.${name}.bias`)], {
        pads: [1, 1],
        strides: [stride],
      }),
    );
  const steps = convolve('conv2', convolve('conv1', 'input_features', 1), 2);
  let x = m.op('Add', [
    m.op('Transpose', [steps], { perm: [0, 2, 1] }),
    m.weight('encoder.embed_positions.weight'),
  ]);
  for (let index = 0; index < shape.layers; index++) {
    const layer = `encoder.layers.${index}`;
    const normed = m.norm(`${layer}.self_attn_layer_norm`, x);
    const part = (name: string, hasBias = true) => m.linear(`${layer}.self_attn.${name}`, normed, hasBias);
    const [result] = m.attend(part('q_proj'), m.split(part('k_proj', false)), m.split(part('v_proj')));
    x = m.op('Add', [x, m.linear(`${layer}.self_attn.out_proj`, result)]);
    x = m.feedForward(layer, x);
  }
  m.op('Identity', [m.norm('encoder.layer_norm', x)], {}, 'last_hidden_state');
  return m.graph.buildModel(
    [{ name: 'input_features', type: 'float32', shape: ['batch_size', shape.bands, 3000] }],
    [{ name: 'last_hidden_state', type: 'float32', shape: ['batch_size', 1500, shape.width] }],
  );
}

/**
 * `decoder_model_merged.onnx`. With the cache it reads no audio: keys and values come from the past.
 * @param withAttention whether there are outputs `cross_attentions.N`, as in the exports `…_timestamped`
 */
export function exportDecoder(
  weights: Weights,
  shape: WhisperShape,
  withAttention: boolean,
): Uint8Array<ArrayBuffer> {
  const m = new Network(weights, shape);
  const { heads, width, layers } = shape;
  const sizeOf = (value: string, axis: number) =>
    m.op('Gather', [m.op('Shape', [value]), m.ints(axis)], { axis: 0 });
  const past = (layer: number, part: string) => `past_key_values.${layer}.${part}`;
  const count = sizeOf('input_ids', 1);
  const before = sizeOf(past(0, 'decoder.key'), 2);
  const end = m.op('Add', [before, count]);
  const range = (from: string, to: string) =>
    m.op('Range', [m.scalar(from), m.scalar(to), m.scalar(m.ints(1))]);
  const positions = range(before, end);
  const tokens = m.weight('decoder.embed_tokens.weight');
  const places = m.weight('decoder.embed_positions.weight');
  let x = m.op('Add', [
    m.op('Gather', [tokens, 'input_ids'], { axis: 0 }),
    m.op('Unsqueeze', [m.op('Gather', [places, positions], { axis: 0 }), m.ints(0)]),
  ]);
  const later = m.op('Less', [m.op('Unsqueeze', [positions, m.ints(1)]), range(m.ints(0), end)]);
  const mask = m.op('Where', [later, m.graph.scalarInitializer(-1e9), m.graph.scalarInitializer(0)]);
  const isCached = m.op('Cast', ['use_cache_branch'], { to: 7 });
  const read = m.op('Mul', [sizeOf('encoder_hidden_states', 1), m.op('Sub', [m.ints(1), isCached])]);
  const audio = m.op('Slice', ['encoder_hidden_states', m.ints(0), read, m.ints(1)]);
  const outputs: ValueInfo[] = [];
  const output = (name: string, value: string, sides: (string | number)[]) => {
    m.op('Identity', [value], {}, name);
    outputs.push({ name, type: 'float32', shape: sides });
  };
  const cached = (layer: number, part: string, value: string) => {
    const complete = m.op('Concat', [past(layer, part), m.split(value)], { axis: 2 });
    output(`present.${layer}.${part}`, complete, ['batch_size', heads, `${part}_steps`, width / heads]);
    return complete;
  };
  for (let index = 0; index < layers; index++) {
    const layer = `decoder.layers.${index}`;
    const normed = m.norm(`${layer}.self_attn_layer_norm`, x);
    const self = (name: string, hasBias = true) => m.linear(`${layer}.self_attn.${name}`, normed, hasBias);
    const keys = cached(index, 'decoder.key', self('k_proj', false));
    const values = cached(index, 'decoder.value', self('v_proj'));
    const [own] = m.attend(self('q_proj'), keys, values, mask);
    x = m.op('Add', [x, m.linear(`${layer}.self_attn.out_proj`, own)]);
    const crossed = m.norm(`${layer}.encoder_attn_layer_norm`, x);
    const cross = (name: string, of: string, hasBias = true) =>
      m.linear(`${layer}.encoder_attn.${name}`, of, hasBias);
    const audioKeys = cached(index, 'encoder.key', cross('k_proj', audio, false));
    const audioValues = cached(index, 'encoder.value', cross('v_proj', audio));
    const [heard, attention] = m.attend(cross('q_proj', crossed), audioKeys, audioValues);
    if (withAttention)
      output(`cross_attentions.${index}`, attention, ['batch_size', heads, 'tokens', 'steps']);
    x = m.op('Add', [x, m.linear(`${layer}.encoder_attn.out_proj`, heard)]);
    x = m.feedForward(layer, x);
  }
  const last = m.norm('decoder.layer_norm', x);
  const turned = m.op('Transpose', [tokens], { perm: [1, 0] });
  output('logits', m.op('MatMul', [last, turned]), ['batch_size', 'tokens', 'vocabulary']);
  const cache = Array.from({ length: layers }, (_, layer) =>
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map(
      (part): ValueInfo => ({
        name: past(layer, part),
        type: 'float32',
        shape: ['batch_size', heads, `past_${part}_steps`, width / heads],
      }),
    ),
  ).flat();
  return m.graph.buildModel(
    [
      { name: 'input_ids', type: 'int64', shape: ['batch_size', 'tokens'] },
      { name: 'encoder_hidden_states', type: 'float32', shape: ['batch_size', 'audio_steps', width] },
      ...cache,
      { name: 'use_cache_branch', type: 'bool', shape: [1] },
    ],
    outputs,
  );
}
