/** Whisper weights in the format of CTranslate2, as Python packages contain them. */
import { halfFloats } from '#core/tensors';
import type { Weight, Weights } from './export-whisper.ts';

const FLOAT16 = 4;
const FLOAT32 = 0;

/** Reads the tensors of floats in a `model.bin`. */
export function readConvertedWeights(bytes: Uint8Array, width: number): Weights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const unsigned = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const text = () => {
    const length = view.getUint16(at, true);
    at += 2 + length;
    // The last byte is zero.
    return new TextDecoder().decode(bytes.subarray(at - length, at - 1));
  };
  unsigned();
  text();
  unsigned();
  const stored = new Map<string, Weight>();
  for (let count = unsigned(); count > 0; count--) {
    const name = text();
    const shape = Array.from({ length: bytes[at++]! }, unsigned);
    const type = bytes[at++];
    const size = unsigned();
    const part = bytes.slice(at, at + size);
    at += size;
    if (type === FLOAT16) stored.set(name, { shape, data: halfFloats(part) });
    else if (type === FLOAT32) stored.set(name, { shape, data: new Float32Array(part.buffer) });
  }
  return (name) => {
    const { source, part } = placeOf(name);
    const weight = stored.get(source);
    if (!weight) throw new Error(`the weights lack ${source} for ${name}`);
    if (part === undefined) return weight;
    const [, ...rest] = weight.shape;
    const row = rest.reduce((product, side) => product * side, 1);
    return {
      shape: [width, ...rest],
      data: weight.data.slice(part * width * row, (part + 1) * width * row),
    };
  };
}

/** Several projections are stored as one matrix. */
const ATTENTION: Record<string, [string, number?]> = {
  'self_attn.q_proj': ['self_attention/linear_0', 0],
  'self_attn.k_proj': ['self_attention/linear_0', 1],
  'self_attn.v_proj': ['self_attention/linear_0', 2],
  'self_attn.out_proj': ['self_attention/linear_1'],
  'encoder_attn.q_proj': ['attention/linear_0'],
  'encoder_attn.k_proj': ['attention/linear_1', 0],
  'encoder_attn.v_proj': ['attention/linear_1', 1],
  'encoder_attn.out_proj': ['attention/linear_2'],
  fc1: ['ffn/linear_0'],
  fc2: ['ffn/linear_1'],
};
const NORMS: Record<string, string> = {
  self_attn_layer_norm: 'self_attention/layer_norm',
  encoder_attn_layer_norm: 'attention/layer_norm',
  final_layer_norm: 'ffn/layer_norm',
};

/** @param part which of the equal parts of the matrix. Undefined: all of it */
function placeOf(name: string): { source: string; part?: number | undefined } {
  const layer = /^(encoder|decoder)\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name);
  if (layer) {
    const [, side, index, module = '', kind] = layer;
    const folder = `${side}/layer_${index}`;
    const norm = NORMS[module];
    if (norm) return { source: `${folder}/${norm}/${kind === 'weight' ? 'gamma' : 'beta'}` };
    const [path, part] = ATTENTION[module]!;
    return { source: `${folder}/${path}/${kind}`, part };
  }
  const source = name
    .replace('embed_positions.weight', 'position_encodings.encodings')
    .replace('embed_tokens', 'embeddings')
    .replace('layer_norm.weight', 'layer_norm.gamma')
    .replace('layer_norm.bias', 'layer_norm.beta');
  return { source: source.replaceAll('.', '/') };
}
