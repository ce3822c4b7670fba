import type { Host } from '#core/host';
import { openEncoder } from '#core/image-workflows/models/checkpoints/open-encoder.ts';
import { textGraph } from '#core/image-workflows/models/encoders/text-graph.ts';
import { readWeightFile } from '#core/image-workflows/models/weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '#core/image-workflows/models/weight-files/weight-file-graphs.ts';
import { singleChunk } from '#core/image-workflows/text/token-chunks.ts';
import { encodeChunks } from '#core/image-workflows/text/weighted-encoding.ts';
import { isNear } from './comparison.ts';
import type { RecordedNumbers } from './recorded-numbers.ts';

/** The special tokens of Gemma 2. */
const GEMMA = { start: 2, end: undefined, pad: 0 };

/**
 * Encodes recorded tokens with Gemma 2, whose tokenizer was not recorded. Resolves to the number of arrays outside of
 * the tolerance.
 */
export async function replayTokens(host: Host, path: string, numbers: RecordedNumbers): Promise<number> {
  const recorded = numbers.recording.tokens as [token: number, weight: number][];
  const file = await readWeightFile(host.files, path);
  const encoder = await openEncoder(new WeightFileGraphs(host, file), 'lumina2-gemma2', file.table);
  const tokens = recorded.map(([token, weight]) => ({ token, weight }));
  const empty = singleChunk([], { ...GEMMA, minLength: tokens.length });
  const graph = textGraph(encoder, GEMMA);
  const encoding = await encodeChunks([tokens], empty, graph, new AbortController().signal);
  const isHidden = encoding.attentionMask!.data.includes(0);
  return isNear(numbers, 'cond', encoding.tensor.data) && !isHidden ? 0 : 1;
}
