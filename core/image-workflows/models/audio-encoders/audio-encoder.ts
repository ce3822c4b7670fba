/** Encoders of speech in files of weights: wav2vec 2.0 and Whisper. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import { type Audio, audioPlanes } from '../../audio/audio.ts';
import { resample } from '../../audio/resample.ts';
import type { AudioEncoder } from '../../values/audio-encoder.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { graphsOf } from '../graphs/graph-registry.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { renamed, type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { FEWEST_SAMPLES, isNormedFirst, wav2vec2Graph } from './wav2vec2-graph.ts';
import { whisperGraph } from './whisper-graph.ts';
import { whisperLoudness } from './whisper-loudness.ts';

const FOLDER = 'models/audio_encoders';
const SAMPLE_RATE = 16_000;
const VARIANCE_EPSILON = 1e-7;

/** Reads the file's table only. Rejects for missing and damaged files, and with `ModelUnsupported` for other networks. */
export async function loadAudioEncoder(host: Host, name: string): Promise<AudioEncoder> {
  const path: FilePath = `${FOLDER}/${name}`;
  const file = await readWeightFile(host.files, path);
  const encoder = openAudioEncoder(new WeightFileGraphs(host, file));
  if (!encoder)
    throw new ModelUnsupported(
      `${file.name} holds no audio encoder that is known here: ${describeContents(file)}. Use one of wav2vec 2.0 or Whisper`,
    );
  await graphsOf(host).keepOnly(FOLDER, name);
  return encoder;
}

function openAudioEncoder(graphs: WeightFileGraphs): AudioEncoder | undefined {
  const { table } = graphs.file;
  const speech = renamed(table, (name) => name.replace(/^wav2vec2\./, ''));
  if (speech.has('encoder.layer_norm.bias') && speech.has('feature_projection.projection.weight'))
    return wav2vec2(graphs, speech);
  const whisper = withoutPrefix(table, 'model.');
  return whisper.has('encoder.embed_positions.weight') ? whisperEncoder(graphs, whisper) : undefined;
}

function wav2vec2(graphs: WeightFileGraphs, weights: WeightTable): AudioEncoder {
  const graph = graphs.graph('audio_encoder', weights, () => wav2vec2Graph(weights));
  return {
    async encode(audio, signal) {
      const mono = await toMono(audio, signal);
      const [, samples = 0] = mono.shape;
      if (samples < FEWEST_SAMPLES)
        throw new RangeError(
          `${samples} samples of audio at 16 kHz are too few: the audio encoder takes ${FEWEST_SAMPLES} or more`,
        );
      const input = isNormedFirst(weights) ? standardized(mono) : mono;
      return { layers: await run(graph, 'audio', input, signal), samples };
    },
  };
}

function whisperEncoder(graphs: WeightFileGraphs, table: WeightTable): AudioEncoder {
  const weights = new Map([...table].filter(([name]) => name.startsWith('encoder.')));
  const graph = graphs.graph('audio_encoder', weights, () => whisperGraph(weights));
  const bands = weights.get('encoder.conv1.weight')?.shape[1] ?? 0;
  return {
    async encode(audio, signal) {
      const mono = await toMono(audio, signal);
      const loudness = await whisperLoudness(mono, bands, signal);
      return { layers: await run(graph, 'loudness', loudness, signal), samples: mono.shape[1]! };
    },
  };
}

async function run(
  graph: ModelGraph,
  input: string,
  values: FloatTensor,
  signal: AbortSignal,
): Promise<FloatTensor> {
  const session = await graph.session(signal);
  const slot = requireSlot(session, input);
  const { layers } = await session.run({ [slot.name]: feed(slot, values) }, signal);
  return toFloatTensor(layers!);
}

/** The mean of the channels at 16 kHz, [batch, samples]. */
async function toMono(audio: Audio, signal: AbortSignal): Promise<FloatTensor> {
  const resampled = await resample(audio, SAMPLE_RATE, signal);
  const [batch = 1, channels = 1, samples = 0] = resampled.waveform.shape;
  const result = zeros([batch, samples]);
  for (const [plane, values] of audioPlanes(resampled).entries()) {
    const start = Math.floor(plane / channels) * samples;
    for (const [at, value] of values.entries()) result.data[start + at]! += value / channels;
  }
  return result;
}

/** Without mean, and of variance 1: all entries of a batch together. */
function standardized({ shape, data }: FloatTensor): FloatTensor {
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  const squares = data.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (data.length - 1) + VARIANCE_EPSILON);
  return { shape, data: data.map((value) => (value - mean) / deviation) };
}
