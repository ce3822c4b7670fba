import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import {
  longestText,
  readVoiceVocabulary,
  STYLE_WIDTH,
  voiceFiles,
} from '#core/local-models/base/voice-files.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { readGraphWeights } from './read-graph-weights.ts';
import { weightStatistics } from './weight-statistics.ts';

const ARCHITECTURE = 'kokoro';

/**
 * The metadata of a model that speaks, with keys in the form of GGUF.
 * @throws ModelCorrupt when a file is missing or damaged
 */
export async function voiceMetadata(blobs: Pick<Blobs, 'read'>, files: ModelFile[]): Promise<ModelMetadata> {
  const found = voiceFiles(files);
  if (!found) throw new ModelCorrupt('it lacks its graph or its voices');
  const { graph, voices } = found;
  const vocabulary = await readVoiceVocabulary(files, (file) => readSmallFile(blobs, file));
  const weights = await readGraphWeights(graph.size, (start, end) =>
    readBlobRange(blobs, graph.digest, start, end),
  );
  const contextLength = longestText(voices);
  return {
    architecture: ARCHITECTURE,
    ...weightStatistics(weights),
    contextLength,
    embeddingLength: STYLE_WIDTH,
    addBos: false,
    hasVision: false,
    speaks: true,
    keyValues: [
      ['general.architecture', ARCHITECTURE],
      [`${ARCHITECTURE}.context_length`, contextLength],
      [`${ARCHITECTURE}.embedding_length`, STYLE_WIDTH],
      [`${ARCHITECTURE}.vocab_size`, vocabulary.size],
      [`${ARCHITECTURE}.voices`, [...voices.keys()]],
    ],
    tensors: weights.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}
