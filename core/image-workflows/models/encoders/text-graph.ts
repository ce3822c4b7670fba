/** Runs the graph of a text encoder: on token ids or on token embeddings, up to any layer. */
import type { Tensor, TensorSession } from '#core/host';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import type { ChunkEncoder } from '../../text/weighted-encoding.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { type ClipLayer, findLayer, layerNorm } from './clip-layers.ts';
import { concatWidths } from './combine-encodings.ts';
import type { TextEncoderModel } from './text-encoder-model.ts';
import { type TokenTable, tokenTable } from './token-table.ts';

export interface TextGraph extends ChunkEncoder {
  /** The width of a token embedding. */
  width(): Promise<number>;
}

/** The positions of tokens, [tokens, 3], for encoders whose prompts have images. */
type PositionsOf = (tokens: readonly (number | Float32Array)[]) => FloatTensor;

const inOrder: PositionsOf = (tokens) => ({
  shape: [tokens.length, 3],
  data: Float32Array.from({ length: tokens.length * 3 }, (_, at) => Math.floor(at / 3)),
});

/** @param framing the tokens by which an encoder with a mask finds the end of a prompt */
export function textGraph(
  { graph, layer, layers, rawLayers, masking, hasAllLayers }: TextEncoderModel,
  { end, pad }: Pick<PromptTokenizer, 'end' | 'pad'> = { end: undefined, pad: 0 },
  positionsOf: PositionsOf = inOrder,
): TextGraph {
  let table: Promise<TokenTable> | undefined;
  const openTable = () => {
    table ??= tokenTable(graph);
    return table;
  };
  return {
    width: async () => (await openTable()).width,
    async encode(tokens, signal) {
      const hasEmbeddings = tokens.some((token) => typeof token !== 'number');
      let earlierLayer: ClipLayer | undefined;
      let changed = graph;
      if (layer !== -1 && !hasAllLayers && !layers) {
        earlierLayer = await findLayer(graph, layer, !rawLayers, signal);
        if (earlierLayer.change) changed = changed.withChange(earlierLayer.change);
      }
      if (hasEmbeddings) changed = changed.withChange((await openTable()).change);
      const session = await changed.session(signal);
      const ids = requireSlot(session, 'input_ids');
      // With embeddings as the input, the ids only give the number of tokens and the position of the end token.
      const numbers = Float32Array.from(tokens, (token) => (typeof token === 'number' ? token : 0));
      const shape = [1, tokens.length];
      const feeds = { [ids.name]: feed(ids, { shape, data: numbers }) };
      const mask = findSlot(session.inputs, 'attention_mask');
      const seen = masking ? promptMask(tokens, end, pad) : new Float32Array(tokens.length).fill(1);
      if (mask) feeds[mask.name] = feed(mask, { shape, data: seen });
      const positions = findSlot(session.inputs, 'position_ids');
      if (positions?.type === 'float32') feeds[positions.name] = feed(positions, positionsOf(tokens));
      if (hasEmbeddings) {
        const { input, rows } = await openTable();
        const slot = requireSlot(session, input);
        feeds[slot.name] = feed(slot, await rows(tokens, signal));
      }
      if (hasAllLayers)
        return { tensor: stacked(Object.values(await session.run(feeds, signal, layerNames(session)))) };
      const chosen = layers?.map((number) => `hidden_states.${number}`) ?? [earlierLayer?.output];
      const names = chosen.map((name) => outputName(session, name));
      const pooled = findSlot(session.outputs, 'text_embeds', 'pooler_output')?.name;
      const outputs = await session.run(feeds, signal, pooled === undefined ? names : [...names, pooled]);
      const hidden = concatWidths(names.map((name) => toFloatTensor(outputs[name]!)));
      const tensor = earlierLayer?.norm ? layerNorm(hidden, earlierLayer.norm) : hidden;
      return {
        tensor: masking === 'zeros' ? withZeros(tensor, seen) : tensor,
        ...(masking && { attentionMask: { shape, data: seen } }),
        ...(pooled !== undefined && { pooled: toFloatTensor(outputs[pooled]!) }),
      };
    },
  };
}

/** The inputs of all layers, and the result after the last norm, as `hidden_states` of transformers. */
const layerNames = ({ outputs }: TensorSession): string[] => {
  const inputs = outputs.flatMap(({ name }) => (/^hidden_states\.\d+$/.test(name) ? [name] : []));
  return [...inputs.slice(0, -1), 'last_hidden_state'];
};

/** [1, tokens, width] each to [1, count, tokens, width]. */
function stacked(layers: readonly Tensor[]): FloatTensor {
  const values = layers.map(toFloatTensor);
  const [, ...sides] = values[0]!.shape;
  const result = zeros([1, values.length, ...sides]);
  for (const [index, { data }] of values.entries()) result.data.set(data, index * data.length);
  return result;
}

/** 1 up to the end token, 0 after it. Without an end token, 0 begins with the first pad token. */
function promptMask(
  tokens: readonly (number | Float32Array)[],
  end: number | undefined,
  pad: number,
): Float32Array {
  const last = tokens.indexOf(end ?? pad);
  const seen = last < 0 ? tokens.length : last + (end === undefined ? 0 : 1);
  return new Float32Array(tokens.length).fill(1, 0, seen);
}

/** [1, tokens, width] with zeros for tokens whose mask is 0. */
function withZeros({ shape, data }: FloatTensor, mask: Float32Array): FloatTensor {
  const width = shape.at(-1)!;
  return { shape, data: data.map((value, at) => value * mask[Math.floor(at / width)]!) };
}

function outputName({ outputs }: TensorSession, name = 'last_hidden_state'): string {
  const slot = findSlot(outputs, name);
  if (!slot)
    throw new Error(
      `the text encoder has the outputs ${outputs.map((output) => output.name).join(', ')} and no ${name}: export it in the diffusers layout`,
    );
  return slot.name;
}
