import { type Blobs, ModelCorrupt, type ModelFile } from '#core/host';
import type { ModelMetadata } from '#core/local-models/base/installed-model.ts';
import { readSmallFile } from '#core/local-models/base/small-file.ts';
import { readWhisperConfig } from '#core/local-models/base/whisper-config.ts';
import { whisperGraphs } from '#core/local-models/base/whisper-files.ts';
import { readBlobRange } from '../read-blob-range.ts';
import { readGraphWeights } from './read-graph-weights.ts';
import { weightStatistics } from './weight-statistics.ts';

const ARCHITECTURE = 'whisper';

/**
 * The metadata of a Whisper model in ONNX, with keys in the form of GGUF.
 * @throws ModelCorrupt when a file is missing or damaged
 */
export async function whisperMetadata(
  blobs: Pick<Blobs, 'read'>,
  files: ModelFile[],
): Promise<ModelMetadata> {
  const graphs = whisperGraphs(files);
  if (!graphs) throw new ModelCorrupt('it lacks the graph of its encoder or decoder');
  const config = await readWhisperConfig(files, (file) => readSmallFile(blobs, file));
  const weightsOf = ({ digest, size }: ModelFile) =>
    readGraphWeights(size, (start, end) => readBlobRange(blobs, digest, start, end));
  const weights = [...(await weightsOf(graphs.encoder)), ...(await weightsOf(graphs.decoder))];
  const width = config.heads * config.headWidth;
  return {
    architecture: ARCHITECTURE,
    ...weightStatistics(weights),
    contextLength: config.maxTokens,
    embeddingLength: width,
    addBos: false,
    hasVision: false,
    hears: true,
    keyValues: [
      ['general.architecture', ARCHITECTURE],
      [`${ARCHITECTURE}.attention.head_count`, config.heads],
      [`${ARCHITECTURE}.block_count`, config.layers],
      [`${ARCHITECTURE}.context_length`, config.maxTokens],
      [`${ARCHITECTURE}.embedding_length`, width],
      [`${ARCHITECTURE}.mel_bins`, config.bands],
    ],
    tensors: weights.map(({ name, type, shape }) => ({ name, type, shape })),
  };
}
