import type { ClipTokenizer } from '../text/clip-tokenizer.ts';
import { type Embeddings, promptTokens } from '../text/prompt-tokens.ts';
import { type ChunkEncoder, encodeWeighted } from '../text/weighted-encoding.ts';
import { type FloatTensor, filled } from '../values/tensor.ts';
import type { ClipModel } from '../values/types.ts';
import type { Graph } from './graph.ts';
import { feed, floats, neededSlot, slotOf } from './tensors.ts';

export interface TextEncoder {
  /** `l`, `g`: what nodes with a text for each encoder call it. */
  name: string;
  graph: Graph;
  tokenizer: ClipTokenizer;
  /** What fills a chunk up. */
  pad: number;
  /** Tokens a chunk. */
  length: number;
  /** Which layer is read, -1 the last. */
  layer: number;
  /** Earlier layers are read as they are, as SDXL does (the last but one). Others put the last norm on them, which graphs lack. */
  rawLayers: boolean;
}

/** CLIP's text encoders: their vectors side by side, the summary of the last one. */
export function clipModel(encoders: readonly TextEncoder[], embeddings?: Embeddings): ClipModel {
  return {
    async encode(text, signal) {
      const encoded = [];
      for (const encoder of encoders) {
        const prompt = typeof text === 'string' ? text : (text[encoder.name] ?? '');
        const parts = await promptTokens(prompt, encoder.tokenizer, embeddings);
        const { start, end } = encoder.tokenizer;
        const options = { start, end, pad: encoder.pad, length: encoder.length };
        encoded.push(await encodeWeighted(parts, options, chunkEncoder(encoder), signal));
      }
      const pooled = encoded.at(-1)?.pooled;
      return { tensor: sideBySide(encoded.map(({ tensor }) => tensor)), ...(pooled && { pooled }) };
    },
    withLastLayer: (layer) =>
      clipModel(
        encoders.map((encoder) => ({ ...encoder, layer: encoder.rawLayers ? Math.min(layer, -2) : layer })),
        embeddings,
      ),
  };
}

function chunkEncoder({ graph, layer, rawLayers }: TextEncoder): ChunkEncoder {
  return {
    async encode(tokens, signal) {
      const session = await graph.session(signal);
      const ids = neededSlot(session, 'input_ids');
      const layers = session.outputs.filter(({ name }) => /^hidden_states\.\d+$/.test(name));
      const wanted =
        layer === -1
          ? slotOf(session.outputs, 'last_hidden_state')
          : slotOf(session.outputs, `hidden_states.${layers.length + layer}`);
      const pooled = slotOf(session.outputs, 'text_embeds', 'pooler_output');
      if (layer !== -1 && !rawLayers)
        throw new Error(
          `this model's text encoder can only be read at its last layer (-1): graphs do not give layer ${layer} with its norm`,
        );
      if (!wanted)
        throw new Error(
          `this model's text encoder was exported without layer ${layer}: export it with output_hidden_states, or use -1`,
        );
      const numbers = tokens.map((token) => {
        if (typeof token !== 'number')
          throw new Error('this text encoder takes tokens only: embeddings by name cannot be used with it');
        return token;
      });
      const input = { shape: [1, numbers.length], data: Float32Array.from(numbers) };
      const names = [wanted.name, ...(pooled ? [pooled.name] : [])];
      const outputs = await session.run({ [ids.name]: feed(ids, input) }, signal, names);
      return {
        tensor: floats(outputs[wanted.name]!),
        ...(pooled && { pooled: floats(outputs[pooled.name]!) }),
      };
    },
  };
}

/** [1, tokens, a] and [1, tokens, b] as [1, tokens, a + b]; as many tokens as the shortest has. */
function sideBySide(tensors: readonly FloatTensor[]): FloatTensor {
  if (tensors.length === 1) return tensors[0]!;
  const tokens = Math.min(...tensors.map(({ shape }) => shape[1]!));
  const width = tensors.reduce((sum, { shape }) => sum + shape[2]!, 0);
  const made = filled([1, tokens, width]);
  let column = 0;
  for (const { shape, data } of tensors) {
    const own = shape[2]!;
    for (let token = 0; token < tokens; token++)
      made.data.set(data.subarray(token * own, (token + 1) * own), token * width + column);
    column += own;
  }
  return made;
}
