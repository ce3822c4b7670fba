/** A tiny BERT encoder: its configuration, its weights as safetensors, and the graph for them. */
import { bertGraph } from '#core/local-models/registry/formats/onnx/bert-graph.ts';
import type { SafetensorsEntry } from '#core/tensors/read-safetensors.ts';

const HIDDEN = 8;
const WIDE = 32;

export const tinyBertConfig = {
  model_type: 'bert',
  hidden_size: HIDDEN,
  num_attention_heads: 2,
  num_hidden_layers: 1,
  hidden_act: 'gelu',
  max_position_embeddings: 16,
};

/** The tensors with the offsets that they have when they are stored one after the other. */
export function tinyBertTensors(offset = 0): SafetensorsEntry[] {
  const linear = (name: string, from: number, to: number): [string, number[]][] => [
    [`${name}.weight`, [to, from]],
    [`${name}.bias`, [to]],
  ];
  const norm = (name: string) =>
    [`${name}.weight`, `${name}.bias`].map((each): [string, number[]] => [each, [HIDDEN]]);
  const layer = 'encoder.layer.0';
  const shapes: [string, number[]][] = [
    ['embeddings.word_embeddings.weight', [30, HIDDEN]],
    ['embeddings.position_embeddings.weight', [16, HIDDEN]],
    ['embeddings.token_type_embeddings.weight', [2, HIDDEN]],
    ...norm('embeddings.LayerNorm'),
    ...['query', 'key', 'value'].flatMap((part) => linear(`${layer}.attention.self.${part}`, HIDDEN, HIDDEN)),
    ...linear(`${layer}.attention.output.dense`, HIDDEN, HIDDEN),
    ...norm(`${layer}.attention.output.LayerNorm`),
    ...linear(`${layer}.intermediate.dense`, HIDDEN, WIDE),
    ...linear(`${layer}.output.dense`, WIDE, HIDDEN),
    ...norm(`${layer}.output.LayerNorm`),
  ];
  let at = offset;
  return shapes.map(([name, shape]) => {
    const start = at;
    at += 4 * shape.reduce((a, b) => a * b);
    return { name, type: 'F32', shape, start, end: at };
  });
}

export function tinyBert() {
  const tensors = tinyBertTensors();
  const table = Object.fromEntries(
    tensors.map(({ name, type, shape, start, end }) => [
      name,
      { dtype: type, shape, data_offsets: [start, end] },
    ]),
  );
  const text = JSON.stringify(table);
  const header = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 8) * 8));
  const data = Float32Array.from({ length: tensors.at(-1)!.end / 4 }, (_, i) => Math.sin(i) / 4);
  const safetensors = new Uint8Array(8 + header.length + data.byteLength);
  new DataView(safetensors.buffer).setBigUint64(0, BigInt(header.length), true);
  safetensors.set(header, 8);
  safetensors.set(new Uint8Array(data.buffer), 8 + header.length);
  const graph = bertGraph(tinyBertConfig, tinyBertTensors(8 + header.length), 'model.onnx_data');
  return { config: tinyBertConfig, safetensors, graph };
}
