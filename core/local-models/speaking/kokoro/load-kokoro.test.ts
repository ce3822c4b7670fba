import { describe, expect, it } from 'vitest';
import type { Digest, ModelFile, Tensor, TensorEngine, TensorSession } from '#core/host';
import { ModelCorrupt, ModelUnsupported } from '#core/host';
import { roleOfPath } from '#core/local-models/registry/formats/file-roles.ts';
import { inlineTensors } from '#test/support/host/inline-tensors.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { tinyVoice } from '#test/support/local-models/speaking/tiny-voice.ts';
import { KokoroLoader } from './load-kokoro.ts';
import { likeness } from './loudness-curve.ts';
import { tokensOf } from './symbols.ts';

const options = { contextLength: 510, batchSize: 512, gpuLayers: -1, threads: 0 };

function parts(contents: Record<string, Uint8Array<ArrayBuffer>> = tinyVoice()) {
  const files: ModelFile[] = Object.entries(contents).map(([name, bytes]) => ({
    role: roleOfPath(name),
    name,
    size: bytes.length,
    digest: `sha256:${name}` as Digest,
  }));
  const warnings: unknown[] = [];
  const blobs = { read: (digest: Digest) => new Blob([contents[digest.slice(7)]!]).stream() };
  const log = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
  const tensors = inlineTensors(async (file, start, end) => contents[file.name!]!.slice(start, end));
  return { files, blobs, log, warnings, tensors };
}

/** An engine whose GPU changes the samples of the CPU. */
function gpuEngine(tensors: TensorEngine, change: (samples: Float32Array) => Float32Array): TensorEngine {
  return {
    name: 'gpu',
    async open(files, { providers }, signal) {
      const session = await tensors.open(files, { providers: ['wasm'] }, signal);
      if (providers[0] === 'wasm') return session;
      const gpu: TensorSession = {
        device: { kind: 'gpu', name: 'WebGPU' },
        inputs: session.inputs,
        outputs: session.outputs,
        memory: { total: 1, gpu: 1 },
        gone: session.gone,
        dispose: () => session.dispose(),
        async run(...run) {
          const { waveform } = await session.run(...run);
          const samples = waveform as Extract<Tensor, { type: 'float32' }>;
          return { waveform: { ...samples, data: change(samples.data) } };
        },
      };
      return gpu;
    },
  };
}

describe('a GPU', () => {
  const load = (change: (samples: Float32Array) => Float32Array) => {
    const { files, tensors, ...rest } = parts();
    const loader = new KokoroLoader({ ...rest, tensors: gpuEngine(tensors, change) });
    return { ...rest, model: loader.load(files, options, neverAborted, () => {}) };
  };

  it('is used where it says the same, but for noise', async () => {
    const { model, warnings } = load((samples) => samples.map((value, at) => value + Math.sin(at * at) / 50));
    expect((await model).device).toEqual({ kind: 'gpu', name: 'WebGPU' });
    expect(warnings).toEqual([]);
  });

  it.each<[string, (samples: Float32Array) => Float32Array]>([
    ['no numbers', (samples) => samples.map(() => Number.NaN)],
    ['silence', (samples) => samples.map(() => 0)],
    ['half of it', (samples) => samples.subarray(0, samples.length / 2)],
  ])('that says %s is not used', async (_, change) => {
    const { model, warnings } = load(change);
    expect((await model).device).toMatchObject({
      kind: 'cpu',
      note: expect.stringContaining('wrong answer'),
    });
    expect(warnings.length).toBe(1);
  });
});

it('a vocabulary without a symbol has others for it', () => {
  const vocabulary = new Map([...'eɪdʒt'].map((symbol, token) => [symbol, token]));
  expect(tokensOf('ʤATx', vocabulary)).toEqual([2, 3, 0, 1, 4]);
});

it('loudness over time shows whether speech is alike', () => {
  const wave = Float32Array.from({ length: 24_000 }, (_, at) => Math.sin(at / 9) * Math.sin(at / 4000));
  expect(
    likeness(
      wave,
      wave.map((value) => -value),
    ),
  ).toBeCloseTo(1);
  expect(likeness(wave, wave.toReversed().subarray(4000))).toBe(0);
  expect(likeness(new Float32Array(9), new Float32Array(9))).toBe(0);
});

it.each<[string, Record<string, Uint8Array<ArrayBuffer>>, typeof ModelCorrupt]>([
  ['a voice of another size', { 'voices/af_heart.bin': new Uint8Array(1000) }, ModelCorrupt],
  ['no tokenizer', { 'tokenizer.json': new Uint8Array(2) }, ModelCorrupt],
])('%s is refused', async (_, changed, kind) => {
  const { files, ...rest } = parts({ ...tinyVoice(), ...changed });
  await expect(new KokoroLoader(rest).load(files, options, neverAborted, () => {})).rejects.toThrow(kind);
});

it('a graph of another kind is refused', async () => {
  const { tinyWhisper } = await import('#test/support/local-models/whisper/tiny-whisper.ts');
  const graph = tinyWhisper()['onnx/encoder_model.onnx']!;
  const { files, ...rest } = parts({ ...tinyVoice(), 'onnx/model.onnx': graph });
  await expect(new KokoroLoader(rest).load(files, options, neverAborted, () => {})).rejects.toThrow(
    ModelUnsupported,
  );
});
