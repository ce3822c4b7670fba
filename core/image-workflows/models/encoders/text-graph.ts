/** A text encoder's graph: tokens or vectors in their places go in, vectors of any layer come out. */
import type { TensorSession } from '#core/host';
import type { ChunkEncoder } from '../../text/weighted-encoding.ts';
import { feed, findSlot, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { type ClipLayer, findLayer, layerNorm } from './clip-layers.ts';
import type { TextEncoder } from './text-encoder.ts';
import { type TokenTable, tokenTable } from './token-vectors.ts';

export interface TextGraph extends ChunkEncoder {
  /** Numbers a token. */
  width(): Promise<number>;
}

export function textGraph({ graph, layer, rawLayers }: TextEncoder): TextGraph {
  let table: Promise<TokenTable> | undefined;
  const vectors = () => {
    table ??= tokenTable(graph);
    return table;
  };
  return {
    width: async () => (await vectors()).width,
    async encode(tokens, signal) {
      const hasVectors = tokens.some((token) => typeof token !== 'number');
      let wanted: ClipLayer | undefined;
      let open = graph;
      if (layer !== -1) {
        wanted = await findLayer(graph, layer, !rawLayers, signal);
        if (wanted.change) open = open.withChange(wanted.change);
      }
      if (hasVectors) open = open.withChange((await vectors()).change);
      const session = await open.session(signal);
      const ids = requireSlot(session, 'input_ids');
      // Where vectors go in, the tokens only say how many there are and where the end is.
      const numbers = Float32Array.from(tokens, (token) => (typeof token === 'number' ? token : 0));
      const shape = [1, tokens.length];
      const feeds = { [ids.name]: feed(ids, { shape, data: numbers }) };
      const mask = findSlot(session.inputs, 'attention_mask');
      if (mask) feeds[mask.name] = feed(mask, { shape, data: new Float32Array(tokens.length).fill(1) });
      if (hasVectors) {
        const { input, rows } = await vectors();
        const slot = requireSlot(session, input);
        feeds[slot.name] = feed(slot, await rows(tokens, signal));
      }
      const last = outputOf(session, wanted?.output);
      const pooled = findSlot(session.outputs, 'text_embeds', 'pooler_output')?.name;
      const outputs = await session.run(feeds, signal, pooled === undefined ? [last] : [last, pooled]);
      const given = toFloatTensor(outputs[last]!);
      return {
        tensor: wanted?.norm ? layerNorm(given, wanted.norm) : given,
        ...(pooled !== undefined && { pooled: toFloatTensor(outputs[pooled]!) }),
      };
    },
  };
}

function outputOf({ outputs }: TensorSession, wanted: string | undefined): string {
  const slot = findSlot(outputs, wanted ?? 'last_hidden_state');
  if (!slot)
    throw new Error(
      `the text encoder gives ${outputs.map(({ name }) => name).join(', ')} and no ${wanted ?? 'last_hidden_state'}: export it in the diffusers layout`,
    );
  return slot.name;
}
