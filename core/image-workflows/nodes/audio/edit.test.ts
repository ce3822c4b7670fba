import { beforeEach, describe, expect, it, test } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { type Audio, audioFromPlanes, audioPlanes } from '../../audio/audio.ts';
import { decodeAudio } from '../../audio/decode.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

let files: MemoryFiles;
let context: NodeContext;
beforeEach(() => {
  ({ files, context } = fileContext());
});

const named = (name: string) => nodeTypes.find((type) => type.name === name)!;
const run = async (name: string, values: Record<string, unknown>) =>
  (await named(name).run(values, context)) as unknown;
const sounds = async (name: string, values: Record<string, unknown>) => (await run(name, values)) as Audio[];
const sound = (...channels: number[][]): Audio =>
  audioFromPlanes(
    channels.map((values) => Float32Array.from(values)),
    channels.length,
    10,
  );
const values = (one: Audio) => audioPlanes(one).map((plane) => [...plane]);

describe('sounds', () => {
  it('are silent at first', async () => {
    const [made] = await sounds('EmptyAudio', { duration: 0.25, sample_rate: 10, channels: 2 });
    // Halves go to the even number.
    expect(made!.waveform.shape).toEqual([1, 2, 2]);
    expect(made!.sample_rate).toBe(10);
    await expect(run('EmptyAudio', { duration: 1, sample_rate: 0, channels: 1 })).rejects.toThrow(
      '1 or more',
    );
    await expect(run('EmptyAudio', { duration: 1e12, sample_rate: 44100, channels: 2 })).rejects.toThrow(
      'GiB',
    );
  });
  it.each([
    [0, 0.2, [0, 1]],
    [0.3, 60, [3, 4, 5]],
    [-0.2, 0.1, [4]],
    [-9, 0.1, [0]],
    [9, 1, [5]],
  ])('are cut from %f s on for %f s', async (start_index, duration, expected) => {
    const [made] = await sounds('TrimAudioDuration', {
      audio: sound([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]),
      start_index,
      duration,
    });
    expect(values(made!)).toEqual([expected, expected]);
  });
  it('are not cut to nothing', async () => {
    const audio = sound([0, 1, 2]);
    await expect(run('TrimAudioDuration', { audio, start_index: 0, duration: 0 })).rejects.toThrow('0.3 s');
  });
  it('are split into left and right', async () => {
    const made = await sounds('SplitAudioChannels', { audio: sound([1, 2], [3, 4]) });
    expect(made.map(values)).toEqual([[[1, 2]], [[3, 4]]]);
    await expect(run('SplitAudioChannels', { audio: sound([1]) })).rejects.toThrow('1 channel');
  });
  it('follow one another in stereo', async () => {
    const [audio1, audio2] = [sound([1]), sound([2], [3])];
    const joined = async (direction: string) =>
      values((await sounds('AudioConcat', { audio1, audio2, direction }))[0]!);
    expect(await joined('after')).toEqual([
      [1, 2],
      [1, 3],
    ]);
    expect(await joined('before')).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });
  it('lie over one another at the higher rate', async () => {
    const slow: Audio = { ...sound([0, 0]), sample_rate: 5 };
    const [made] = await sounds('AudioMerge', {
      audio1: slow,
      audio2: sound([0.5, 0.25]),
      merge_method: 'subtract',
    });
    expect(made!.sample_rate).toBe(10);
    expect(values(made!)).toEqual([[-0.5, -0.25, 0, 0].map((value) => value + 0)]);
  });
  it('become louder and softer by decibels', async () => {
    const audio = sound([0.5, -0.25]);
    const [louder] = await sounds('AudioAdjustVolume', { audio, volume: 6 });
    expect(values(louder!)[0]![0]).toBeCloseTo(0.5 * 10 ** 0.3, 6);
    expect((await sounds('AudioAdjustVolume', { audio, volume: 0 }))[0]).toBe(audio);
  });
});

describe('files of sounds', () => {
  const two = (): Audio => ({
    ...sound([0.5, -0.5]),
    waveform: { shape: [2, 1, 2], data: Float32Array.of(0.5, -0.5, 0.25, 0) },
  });
  it('are saved one for each of a batch, with the graph', async () => {
    const made = await run('SaveAudio', { audio: two(), filename_prefix: 'audio/x' });
    expect(made).toEqual({
      ui: {
        audio: [
          { filename: 'x_00001_.flac', subfolder: 'audio', type: 'output' },
          { filename: 'x_00002_.flac', subfolder: 'audio', type: 'output' },
        ],
      },
    });
    const bytes = await files.read('output/audio/x_00002_.flac');
    expect(values(await decodeAudio(bytes, context.signal))).toEqual([[0.25, 0]]);
    const text = Buffer.from(bytes).toString();
    expect(text).toContain('prompt={"1": {"class_type": "X"}}');
    expect(text).toContain('workflow={"nodes": []}');
  });
  it('are heard without being kept', async () => {
    const { ui } = (await run('PreviewAudio', { audio: sound([0.5]) })) as {
      ui: { audio: { filename: string; type: string }[] };
    };
    expect(ui.audio).toEqual([
      {
        filename: expect.stringMatching(/^ComfyUI_temp_[a-z]{5}_00001_\.flac$/),
        subfolder: '',
        type: 'temp',
      },
    ]);
    expect(await files.stat(`temp/${ui.audio[0]!.filename}`)).toMatchObject({ kind: 'file' });
  });
  it.each(['LoadAudio', 'RecordAudio'])('%s reads what was saved', async (name) => {
    await run('SaveAudio', { audio: sound([0.5, 0.25], [0, -1]), filename_prefix: 'y' });
    const audio = 'y_00001_.flac [output]';
    const [made] = await sounds(name, { audio });
    expect(values(made!)).toEqual([
      [0.5, 0.25],
      [0, -1],
    ]);
    expect(await named(name).fingerprint!({ audio }, context)).toMatch(/^[0-9a-f]{64}$/);
    await expect(run(name, { audio: 'none.wav' })).rejects.toThrow('Invalid audio file: none.wav');
    await files.write('input/junk.wav', new TextEncoder().encode('junk'));
    await expect(run(name, { audio: 'junk.wav' })).rejects.toThrow("'junk.wav': it is no WAV or FLAC file");
  });
  it('are listed and looked for before the run', async () => {
    for (const name of ['b.WAV', 'a.flac', 'c.png', 'sub/d.wav'])
      await files.write(`input/${name}`, new Uint8Array(1));
    const { type } = named('LoadAudio').inputs.audio as {
      type: { choices(from: unknown): Promise<string[]> };
    };
    expect(await type.choices(context.files)).toEqual(['a.flac', 'b.WAV']);
    const { check } = named('LoadAudio').validate!;
    expect(await check({ audio: 'sub/d.wav' }, context)).toBe(true);
    expect(await check({ audio: '../d.wav' }, context)).toBe('Invalid audio file: ../d.wav');
  });
});

test('moving pictures are pictures with a sound, and taken apart again', async () => {
  const images = { shape: [2, 1, 1, 3], data: new Float32Array(6) };
  const audio = sound([0.5]);
  const [video] = (await run('CreateVideo', { images, fps: 8, audio })) as unknown[];
  expect(await run('GetVideoComponents', { video })).toEqual([images, audio, 8]);
  const [silent] = (await run('CreateVideo', { images, fps: 8 })) as unknown[];
  expect(await run('GetVideoComponents', { video: silent })).toEqual([images, null, 8]);
});
