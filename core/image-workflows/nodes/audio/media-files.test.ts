import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest';
import { audioOfFile } from '#test/support/image-workflows/audio-values.ts';
import { amplitude, MediaTools, mediaHost, tone } from '#test/support/image-workflows/media-tools.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import type { MemoryFiles } from '#workers/host/files/memory-files.ts';
import { type Audio, audioFromPlanes, audioPlanes } from '../../audio/audio.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const { signal } = new AbortController();
const tools = new MediaTools();
afterAll(() => tools.remove());

let files: MemoryFiles;
let context: NodeContext;
beforeEach(() => {
  ({ files, context } = fileContext(mediaHost));
});

const run = async <T>(name: string, values: Record<string, unknown>) =>
  (await nodeTypes.find((type) => type.name === name)!.run(values, context)) as T;
const probe = async (path: string) => tools.probe(path.replaceAll('/', '-'), await files.read(path));

describe('audio files of ffmpeg', () => {
  const source = ['-f', 'lavfi', '-i', 'sine=f=440:d=1:r=44100', '-af', 'volume=4'];
  test.each([
    ['a.mp3', 44100],
    ['a.m4a', 44100],
    ['a.ogg', 44100],
    ['a.opus', 48000],
    ['a.mka', 44100],
    ['a.webm', 48000],
    ['a.aiff', 44100],
  ])('decodes %s', async (name, rate) => {
    await files.write(`input/${name}`, tools.encode(name, ...source));
    const [audio] = await run<[Audio]>('LoadAudio', { audio: name });
    expect(audio.sample_rate).toBe(rate);
    const [plane] = audioPlanes(audio);
    expect(Math.abs(plane!.length - rate)).toBeLessThan(rate * 0.06);
    expect(amplitude(plane!, rate, 440)).toBeCloseTo(0.5, 1);
  });
  it('decodes the audio of a video', async () => {
    const video = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', ...source];
    await files.write('input/v.mp4', tools.encode('v.mp4', ...video));
    const [audio] = await run<[Audio]>('LoadAudio', { audio: 'v.mp4' });
    expect(amplitude(audioPlanes(audio)[0]!, 44100, 440)).toBeCloseTo(0.5, 1);
  });
  it.each(['V0', '128k', '320k'])('SaveAudioMP3 writes %s, with the graph', async (quality) => {
    const audio = audioFromPlanes(
      [...audioPlanes(tone(1, 32000, 440, 880)), ...audioPlanes(tone(1, 32000, 300, 600))],
      2,
      32000,
    );
    const { ui } = await run<{ ui: unknown }>('SaveAudioMP3', { audio, filename_prefix: 'audio/m', quality });
    expect(ui).toEqual({
      audio: [1, 2].map((n) => ({ filename: `m_0000${n}_.mp3`, subfolder: 'audio', type: 'output' })),
    });
    const { streams, format } = await probe('output/audio/m_00001_.mp3');
    expect(streams).toMatchObject([{ codec_name: 'mp3', sample_rate: '32000', channels: 2 }]);
    if (quality !== 'V0') expect(streams[0]!.bit_rate).toBe(quality.replace('k', '000'));
    expect(format.tags).toMatchObject({ prompt: context.promptJson, workflow: context.extraTexts.workflow });
    const back = await audioOfFile(
      await files.read('output/audio/m_00002_.mp3'),
      signal,
      mediaHost.mediaCodecs,
    );
    expect(amplitude(audioPlanes(back)[1]!, 32000, 600)).toBeCloseTo(0.5, 1);
  });
  it.each(['64k', '320k'])('SaveAudioOpus writes %s, with the graph', async (quality) => {
    const audio = tone(1, 44100, 440, 880);
    const { ui } = await run<{ ui: unknown }>('SaveAudioOpus', { audio, filename_prefix: 'o', quality });
    expect(ui).toEqual({ audio: [{ filename: 'o_00001_.opus', subfolder: '', type: 'output' }] });
    const { streams, format } = await probe('output/o_00001_.opus');
    expect(streams).toMatchObject([
      {
        codec_name: 'opus',
        channels: 2,
        tags: { prompt: context.promptJson, workflow: context.extraTexts.workflow },
      },
    ]);
    expect(format.format_name).toBe('ogg');
    const back = execFileSync(
      'ffmpeg',
      ['-v', 'error', '-i', join(tools.folder, 'output-o_00001_.opus'), '-f', 'f32le', '-'],
      {
        maxBuffer: 2 ** 28,
      },
    );
    expect(back.length).toBe(48000 * 2 * 4);
  });
  it.each([
    [{ key: 'flac' }, 'flac', 'flac'],
    [{ key: 'mp3', quality: '128k' }, 'mp3', 'mp3'],
    [{ key: 'opus', quality: '96k' }, 'opus', 'opus'],
  ])('SaveAudioAdvanced writes %j and passes the audio on', async (format, extension, codec_name) => {
    const audio = tone(0.2, 44100, 440, 880);
    const { outputs, ui } = await run<{ outputs: unknown[]; ui: unknown }>('SaveAudioAdvanced', {
      audio,
      filename_prefix: 'a',
      format,
    });
    expect(ui).toEqual({ audio: [{ filename: `a_00001_.${extension}`, subfolder: '', type: 'output' }] });
    expect(outputs).toEqual([audio]);
    expect((await probe(`output/a_00001_.${extension}`)).streams).toMatchObject([{ codec_name }]);
  });
  it('decodes an Opus file that was cut out of a stream from its start', async () => {
    const complete = tools.encode(
      'whole.opus',
      '-f',
      'lavfi',
      '-i',
      'sine=f=440:d=3:r=48000',
      '-af',
      'volume=4',
    );
    writeFileSync(join(tools.folder, 'whole.opus'), complete);
    const part = tools.encode(
      'part.opus',
      '-ss',
      '1',
      '-i',
      join(tools.folder, 'whole.opus'),
      '-c',
      'copy',
      '-copyts',
    );
    const [plane] = audioPlanes(await audioOfFile(part, signal));
    const args = ['-v', 'error', '-i', join(tools.folder, 'part.opus'), '-f', 'f32le', 'pipe:1'];
    const decoded = execFileSync('ffmpeg', args, { maxBuffer: 2 ** 26 });
    expect(plane!.length).toBeLessThan(48000 * 2.9);
    // Such a file does not say whether the first samples of the decoder count.
    expect(Math.abs(plane!.length - decoded.length / 4)).toBeLessThanOrEqual(960);
    expect(amplitude(plane!, 48000, 440)).toBeCloseTo(0.5, 1);
  });
});
