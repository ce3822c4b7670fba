import { tokenizePrompt } from '../../text/prompt-tokens.ts';
import { singleChunk, toChunks } from '../../text/token-chunks.ts';
import { encodeChunks } from '../../text/weighted-encoding.ts';
import type { AnyAdapter, EncoderName } from '../../values/adapter.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { ClipHooks } from '../../values/hooks.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { applyAnyAdapter } from '../adapters/apply-adapter.ts';
import type { EmbeddingFiles } from './embedding-files.ts';
import type { TextEncoder } from './text-encoder.ts';
import { textGraph } from './text-graph.ts';

interface Encoded {
  tensor: FloatTensor;
  pooled?: FloatTensor;
  isSilent?: true;
}

const silenced = ({ tensor, pooled }: Encoded): Encoded => ({
  tensor: zeros(tensor.shape),
  ...(pooled && { pooled: zeros(pooled.shape) }),
  isSilent: true,
});

/**
 * How what several encoders say becomes one: `side by side` (SD, SDXL): their vectors beside one another, the last summary.
 * `sd3`: CLIP's so, as wide as T5's, then T5's; the summaries beside one another. `flux`: T5's vectors, CLIP's summary.
 */
export type Combination = 'side by side' | 'sd3' | 'flux';

export interface ClipParts {
  encoders: readonly TextEncoder[];
  combination: Combination;
  embeddings: EmbeddingFiles;
  hooks?: ClipHooks;
  /** What `sd3` makes CLIP's vectors as wide as where there is no T5. */
  width?: number;
}

export function clipModel(parts: ClipParts): ClipModel {
  const { encoders, combination, embeddings, width, hooks } = parts;
  return {
    ...(hooks && { hooks }),
    withHooks: (set) => clipModel({ ...parts, hooks: set }),
    async encode(text, signal, silent = []) {
      const encoded = new Map<EncoderName, Encoded>();
      for (const encoder of encoders) {
        const prompt = typeof text === 'string' ? text : (text[encoder.name] ?? '');
        const one = await encode(encoder, prompt, embeddings, signal);
        encoded.set(encoder.name, silent.includes(encoder.name) ? silenced(one) : one);
      }
      return combined(encoded, combination, width);
    },
    withLastLayer: (layer) =>
      clipModel({
        ...parts,
        encoders: encoders.map((encoder) => ({
          ...encoder,
          layer: encoder.rawLayers ? Math.min(layer, encoder.layer) : layer,
        })),
      }),
    withPadding: ({ padding, least }) =>
      clipModel({
        ...parts,
        encoders: encoders.map((encoder) =>
          encoder.name === 't5xxl' ? { ...encoder, padding, length: least } : encoder,
        ),
      }),
    graphs: new Map(encoders.map(({ name, graph }) => [name, graph])),
    tokenizers: new Map(
      encoders.flatMap(({ name, tokenizerFolder }) => (tokenizerFolder ? [[name, tokenizerFolder]] : [])),
    ),
    withGraphs: (graphs) =>
      clipModel({
        ...parts,
        encoders: encoders.map((encoder) => ({
          ...encoder,
          graph: graphs.get(encoder.name) ?? encoder.graph,
        })),
      }),
    async withAdapter(adapter: AnyAdapter, strength: number) {
      const changed = [];
      for (const [target, encoder] of encoders.entries()) {
        const part = { name: encoder.name, target };
        changed.push({ ...encoder, graph: await applyAnyAdapter(encoder.graph, adapter, part, strength) });
      }
      return clipModel({ ...parts, encoders: changed });
    },
  };
}

async function encode(
  encoder: TextEncoder,
  prompt: string,
  embeddings: EmbeddingFiles,
  signal: AbortSignal,
): Promise<Encoded> {
  const graph = textGraph(encoder);
  const parts = await tokenizePrompt(
    prompt,
    encoder.tokenizer,
    (name) => embeddings.vectors(name, encoder.name, () => graph.width()),
    embeddings.missing,
  );
  const { start, end, pad } = encoder.tokenizer;
  const chunks = (from: typeof parts, least: number) =>
    encoder.isChunked && start !== undefined
      ? toChunks(from, { start, end, pad, length: encoder.length })
      : [singleChunk(from, { end, pad, padding: encoder.padding ?? 0, minLength: least })];
  const all = chunks(parts, encoder.length);
  return encodeChunks(all, chunks([], all[0]!.length)[0]!, graph, signal);
}

function combined(encoded: Map<EncoderName, Encoded>, combination: Combination, width = 4096): Encoded {
  const t5 = encoded.get('t5xxl');
  const clips = [...encoded].flatMap(([name, one]) => (name === 't5xxl' ? [] : [one]));
  const summary = (pooled: FloatTensor | undefined) => (pooled ? { pooled } : {});
  switch (combination) {
    case 'side by side':
      return {
        tensor: sideBySide([...encoded.values()].map(({ tensor }) => tensor)),
        ...summary([...encoded.values()].at(-1)?.pooled),
      };
    case 'flux':
      return { tensor: (t5 ?? clips[0]!).tensor, ...summary(clips[0]?.pooled) };
    case 'sd3': {
      const wide = t5?.tensor.shape[2] ?? width;
      const spoken = clips.some((one) => !one.isSilent);
      const parts = [
        ...(spoken ? [widened(sideBySide(clips.map(({ tensor }) => tensor)), wide)] : []),
        ...(t5 && !t5.isSilent ? [t5.tensor] : []),
      ];
      const pooled = clips.flatMap((one) => (one.pooled ? [asTokens(one.pooled)] : []));
      return {
        tensor: parts.length > 0 ? oneAfterAnother(parts) : zeros([1, 77, wide]),
        ...summary(pooled.length > 0 ? withoutTokens(sideBySide(pooled)) : undefined),
      };
    }
  }
}

const asTokens = ({ shape, data }: FloatTensor): FloatTensor => ({ shape: [1, 1, shape[1]!], data });
const withoutTokens = ({ shape, data }: FloatTensor): FloatTensor => ({ shape: [1, shape[2]!], data });

/** [1, tokens, a] and [1, tokens, b] as [1, tokens, a + b]; as many tokens as the shortest has. */
function sideBySide(tensors: readonly FloatTensor[]): FloatTensor {
  if (tensors.length === 1) return tensors[0]!;
  const tokens = Math.min(...tensors.map(({ shape }) => shape[1]!));
  const width = tensors.reduce((sum, { shape }) => sum + shape[2]!, 0);
  const made = zeros([1, tokens, width]);
  let column = 0;
  for (const { shape, data } of tensors) {
    const own = shape[2]!;
    for (let token = 0; token < tokens; token++)
      made.data.set(data.subarray(token * own, (token + 1) * own), token * width + column);
    column += own;
  }
  return made;
}

/** With zeros up to a width. */
function widened(tensor: FloatTensor, width: number): FloatTensor {
  const [, tokens = 0, own = 0] = tensor.shape;
  if (own >= width) return tensor;
  return sideBySide([tensor, zeros([1, tokens, width - own])]);
}

/** [1, a, width] and [1, b, width] as [1, a + b, width]. Throws for other widths. */
function oneAfterAnother(tensors: readonly FloatTensor[]): FloatTensor {
  if (tensors.length === 1) return tensors[0]!;
  const width = tensors[0]!.shape[2]!;
  if (tensors.some(({ shape }) => shape[2] !== width))
    throw new Error(
      `these text encoders do not belong together: their vectors are ${tensors.map(({ shape }) => shape[2]).join(' and ')} wide`,
    );
  const made = zeros([1, tensors.reduce((sum, { shape }) => sum + shape[1]!, 0), width]);
  let at = 0;
  for (const { data } of tensors) {
    made.data.set(data, at);
    at += data.length;
  }
  return made;
}
