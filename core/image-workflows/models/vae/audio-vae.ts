/** Autoencoders of audio. */
import { ModelUnsupported } from '#core/host';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';

export interface AudioVaeParts {
  encoder: ModelGraph | undefined;
  decoder: ModelGraph | undefined;
  latentChannels: number;
  /** Samples of each latent cell. */
  scale: number;
  sampleRate: number;
  /** Latents are [batch, channels, rows, cells]. Undefined: they have no rows. */
  rows?: number;
  /** Converts a waveform [batch, 2, samples] for the encoder. Default: it stays. */
  heard?(waveform: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
  /** The node that makes empty latents for it. */
  emptyLatents: string;
}

/** Images are refused with the nodes for audio. */
export function audioVae({
  encoder,
  decoder,
  latentChannels,
  scale,
  sampleRate,
  rows,
  heard = async (waveform) => waveform,
  emptyLatents,
}: AudioVaeParts): VaeModel {
  const sides = [latentChannels, ...(rows === undefined ? [] : [rows])];
  const refuse = (node: string) => async (): Promise<never> => {
    throw new TypeError(`this is an autoencoder of audio: use ${node}`);
  };
  return {
    latentChannels,
    scale,
    prepare: (signal) => decoder?.prepare(signal),
    encode: refuse('VAEEncodeAudio'),
    decode: refuse('VAEDecodeAudio'),
    audio: {
      sampleRate,
      encode: async (waveform, signal) =>
        runBySample(encoder, await heard(toCells(waveform, scale), signal), signal),
      decode: async (samples, signal) => {
        if (samples.shape.slice(1, -1).join() !== sides.join())
          throw new TypeError(
            `this autoencoder takes latents of audio, [batch, ${sides.join(', ')}, cells], and these are [${samples.shape.join(', ')}]: use ${emptyLatents}`,
          );
        return runBySample(decoder, samples, signal);
      },
    },
  };
}

/** Cuts the middle out, whose length is a multiple of a cell. */
function toCells({ shape, data }: FloatTensor, scale: number): FloatTensor {
  const [batch = 1, channels = 1, length = 0] = shape;
  const used = Math.floor(length / scale) * scale;
  if (used === 0)
    throw new RangeError(
      `${length} samples of audio are less than one latent cell of ${scale}: use longer audio`,
    );
  const start = Math.floor((length % scale) / 2);
  const result = new Float32Array(batch * channels * used);
  for (let plane = 0; plane < batch * channels; plane++) {
    const from = plane * length + start;
    result.set(data.subarray(from, from + used), plane * used);
  }
  return { shape: [batch, channels, used], data: result };
}

/** Runs a graph on each entry of a batch: [batch, channels, …] to the same with other channels and sides. */
async function runBySample(
  graph: ModelGraph | undefined,
  { shape: [batch = 1, ...rest], data }: FloatTensor,
  signal: AbortSignal,
): Promise<FloatTensor> {
  if (!graph) throw new ModelUnsupported('this autoencoder lacks that part: take a complete file');
  const session = await graph.session(signal);
  const slot = requireSlot(session, 'latent_sample', 'sample');
  const size = data.length / batch;
  const results: FloatTensor[] = [];
  for (let index = 0; index < batch; index++) {
    const part = { shape: [1, ...rest], data: data.subarray(index * size, (index + 1) * size) };
    const outputs = await session.run({ [slot.name]: feed(slot, part) }, signal);
    results.push(toFloatTensor(Object.values(outputs)[0]!));
  }
  const joined = new Float32Array(results.length * results[0]!.data.length);
  for (const [index, result] of results.entries()) joined.set(result.data, index * result.data.length);
  return { shape: [batch, ...results[0]!.shape.slice(1)], data: joined };
}
