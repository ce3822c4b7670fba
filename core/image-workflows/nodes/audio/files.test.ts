import { beforeEach, expect, it } from 'vitest';
import { audioOf, audioOfFile, samplesOf } from '#test/support/image-workflows/audio-values.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import type { Audio } from '../../audio/audio.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

let files: MemoryFiles;
let context: NodeContext;
beforeEach(() => {
  ({ files, context } = fileContext());
});

const nodeType = (name: string) => nodeTypes.find((type) => type.name === name)!;
const run = async (name: string, values: Record<string, unknown>) =>
  (await nodeType(name).run(values, context)) as unknown;

it('SaveAudio saves each entry of a batch, with the graph', async () => {
  const audio: Audio = {
    sample_rate: 10,
    waveform: { shape: [2, 1, 2], data: Float32Array.of(0.5, -0.5, 0.25, 0) },
  };
  expect(await run('SaveAudio', { audio, filename_prefix: 'audio/x' })).toEqual({
    ui: {
      audio: [
        { filename: 'x_00001_.flac', subfolder: 'audio', type: 'output' },
        { filename: 'x_00002_.flac', subfolder: 'audio', type: 'output' },
      ],
    },
  });
  const bytes = await files.read('output/audio/x_00002_.flac');
  expect(samplesOf(await audioOfFile(bytes, context.signal))).toEqual([[0.25, 0]]);
  const text = Buffer.from(bytes).toString();
  expect(text).toContain('prompt={"1": {"class_type": "X"}}');
  expect(text).toContain('workflow={"nodes": []}');
});

it('PreviewAudio writes to the temp folder', async () => {
  const { ui } = (await run('PreviewAudio', { audio: audioOf(10, [0.5]) })) as {
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

it.each(['LoadAudio', 'RecordAudio'])(
  '%s loads a saved file, and names one that it cannot read',
  async (name) => {
    await run('SaveAudio', { audio: audioOf(10, [0.5, 0.25], [0, -1]), filename_prefix: 'y' });
    const audio = 'y_00001_.flac [output]';
    const [loaded] = (await run(name, { audio })) as Audio[];
    expect(samplesOf(loaded!)).toEqual([
      [0.5, 0.25],
      [0, -1],
    ]);
    expect(await nodeType(name).fingerprint!({ audio }, context)).toMatch(/^[0-9a-f]{64}$/);
    await expect(run(name, { audio: 'none.wav' })).rejects.toThrow('Invalid audio file: none.wav');
    await files.write('input/junk.wav', new TextEncoder().encode('junk'));
    await expect(run(name, { audio: 'junk.wav' })).rejects.toThrow("'junk.wav': it is no WAV or FLAC file");
  },
);

it('LoadAudio lists the input folder, and accepts any file below it', async () => {
  for (const name of ['b.WAV', 'a.flac', 'c.png', 'sub/d.wav'])
    await files.write(`input/${name}`, new Uint8Array(1));
  const { type } = nodeType('LoadAudio').inputs.audio as {
    type: { choices(from: unknown): Promise<string[]> };
  };
  expect(await type.choices(context.files)).toEqual(['a.flac', 'b.WAV']);
  const { check } = nodeType('LoadAudio').validate!;
  expect(await check({ audio: 'sub/d.wav' }, context)).toBe(true);
  expect(await check({ audio: '../d.wav' }, context)).toBe('Invalid audio file: ../d.wav');
});
