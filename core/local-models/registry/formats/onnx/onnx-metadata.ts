import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { type Pooling, readSentenceConfig } from '#core/local-models/base/sentence-config.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { voiceFiles } from '#core/local-models/base/voice-files.ts';
import { whisperGraphs } from '#core/local-models/base/whisper-files.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { readGraphWeights } from './read-graph-weights.ts';
import { voiceMetadata } from './voice-metadata.ts';
import { weightStatistics } from './weight-statistics.ts';
import { whisperMetadata } from './whisper-metadata.ts';

/** `LLAMA_POOLING_TYPE` in GGUF files: 1 mean, 2 CLS, 3 last. The variants of the mean have no number of their own. */
const POOLING: Record<Pooling, number> = { mean: 1, 'mean-sqrt': 1, max: 1, cls: 2, last: 3 };

/**
 * The metadata of an ONNX model that embeds sentences, hears or speaks, with the keys of GGUF.
 * @throws ModelCorrupt when a file is missing or damaged
 */
export async function onnxMetadata(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<ModelMetadata> {
  if (whisperGraphs(files)) return whisperMetadata(blobs, files);
  if (voiceFiles(files)) return voiceMetadata(blobs, files);
  const graph = files.find(({ role }) => role === 'weights');
  if (!graph) throw new ModelCorrupt('it has no graph');
  const config = await readSentenceConfig(files, (file) => readSmallFile(blobs, file));
  const weights = await readGraphWeights(graph.size, (start, end) =>
    readBlobRange(blobs, graph.digest, start, end),
  );
  const { architecture, hiddenSize, maxTokens, pooling } = config;
  const value = (key: string) => config.values.find(([name]) => name === key)?.[1];
  const own = ([key, from]: [string, string]): [string, unknown][] =>
    value(from) === undefined ? [] : [[`${architecture}.${key}`, value(from)]];
  return {
    architecture,
    ...weightStatistics(weights),
    contextLength: maxTokens,
    embeddingLength: hiddenSize,
    addBos: false,
    poolingType: POOLING[pooling],
    hasVision: false,
    keyValues: [
      ['general.architecture', architecture],
      [`${architecture}.context_length`, maxTokens],
      [`${architecture}.embedding_length`, hiddenSize],
      [`${architecture}.pooling_type`, POOLING[pooling]],
      ...own(['attention.head_count', 'num_attention_heads']),
      ...own(['attention.layer_norm_epsilon', 'layer_norm_eps']),
      ...own(['block_count', 'num_hidden_layers']),
      ...own(['feed_forward_length', 'intermediate_size']),
      ...own(['vocab_size', 'vocab_size']),
    ],
    tensors: weights.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}
