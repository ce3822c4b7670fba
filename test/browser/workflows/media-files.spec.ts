/** Video and audio in a tab: files of the browser's own encoders, which other programs and LoadVideo decode. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { decodeImage } from '#core/image-codecs/decode.ts';
import type { StaticSite } from '../../support/network/static-files.ts';
import { filesOfTab } from '../../support/processes/tab.ts';
import { imageSite, openImageSite } from '../support/image-site.ts';

let site: StaticSite;
let page: Page;
let folder: string;

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-test-tab-media-'));
  site = await imageSite();
  page = await browser.newPage();
  await openImageSite(page, site);
  for (const [name, ...more] of [['a.mp3'], ['a.ogg', '-c:a', 'libvorbis'], ['a.m4a'], ['a.flac']]) {
    const tone = ['-f', 'lavfi', '-i', 'sine=f=440:d=1:r=48000', '-af', 'volume=4', '-ac', '2', ...more];
    execFileSync('ffmpeg', ['-v', 'error', ...tone, place(name!)]);
    await filesOfTab(page).write(`input/${name}`, await readFile(place(name!)));
  }
});
test.afterAll(async () => {
  await page?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true });
});

const place = (name: string) => join(folder, name);

interface Saved {
  filename: string;
  subfolder: string;
  type: string;
}

/** Submits a graph as clients do. `interruptAt` names a node: the run is interrupted when it starts. */
async function run(prompt: object, interruptAt?: string) {
  const entry = await page.evaluate(
    async ({ prompt, interruptAt }) => {
      const client = crypto.randomUUID();
      const socket = new WebSocket(`ws://${location.host}/ws?clientId=${client}`);
      const ended = new Promise<void>((resolve) => {
        socket.onmessage = ({ data }) => {
          const message = typeof data === 'string' ? JSON.parse(data) : { type: 'binary' };
          if (message.type !== 'executing') return;
          if (message.data.node === null) resolve();
          else if (message.data.node === interruptAt)
            setTimeout(() => fetch('/interrupt', { method: 'POST' }), 100);
        };
      });
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      const extra_data = { extra_pnginfo: { workflow: { id: 'mine' } } };
      const body = JSON.stringify({ prompt, client_id: client, extra_data });
      const submitted = await fetch('/prompt', { method: 'POST', body });
      if (!submitted.ok) throw new Error(await submitted.text());
      const { prompt_id } = await submitted.json();
      await ended;
      socket.close();
      return (await (await fetch(`/history/${prompt_id}`)).json())[prompt_id];
    },
    { prompt, interruptAt },
  );
  const [outcome, details] = entry.status.messages.at(-1);
  return {
    outcome: outcome as string,
    message: details.exception_message as string | undefined,
    outputs: entry.outputs as Record<string, { images?: Saved[]; audio?: Saved[]; text?: string[] }>,
  };
}

/** The bytes of a file that a graph saved, also written to disk. */
async function fetched(file: Saved): Promise<Buffer> {
  const base64 = await page.evaluate(async (query) => {
    const bytes = new Uint8Array(await (await fetch(`/view?${query}`)).arrayBuffer());
    return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  }, new URLSearchParams({ ...file }).toString());
  const bytes = Buffer.from(base64, 'base64');
  await writeFile(place(file.filename), bytes);
  return bytes;
}

function probed(name: string) {
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', place(name)];
  return JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
    streams: Record<string, string | number>[];
    format: { tags: Record<string, string> };
  };
}

/** The first pixel of each frame, as another program decodes it. */
function colors(name: string): number[][] {
  const form = ['-vf', 'scale=1:1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', '-i', place(name), ...form]);
  return Array.from({ length: bytes.length / 3 }, (_, i) => [...bytes.subarray(i * 3, i * 3 + 3)]);
}

/** The strength of a tone in the first audio channel. */
function strength(name: string, hertz: number): number {
  const bytes = execFileSync('ffmpeg', [
    ...['-v', 'error', '-i', place(name)],
    ...['-ac', '1', '-ar', '48000', '-f', 'f32le', '-'],
  ]);
  const plane = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  let [real, imaginary] = [0, 0];
  for (let i = 12000; i < 36000; i++) {
    real += plane[i]! * Math.cos((i * 2 * Math.PI * hertz) / 48000);
    imaginary += plane[i]! * Math.sin((i * 2 * Math.PI * hertz) / 48000);
  }
  return Math.hypot(real, imaginary) / 12000;
}

const ORANGE = [230, 120, 40];
const TEAL = [20, 130, 140];
const empty = (color: number[], batch_size: number, side = 64) => ({
  class_type: 'EmptyImage',
  inputs: {
    width: side,
    height: side,
    batch_size,
    color: color.reduce((sum, channel) => sum * 256 + channel),
  },
});
/** Three frames of one color, and five of another. */
const testImages = (side = 64) => ({
  a: empty(ORANGE, 3, side),
  b: empty(TEAL, 5, side),
  images: { class_type: 'ImageBatch', inputs: { image1: ['a', 0], image2: ['b', 0] } },
});
const expected = [...Array(3).fill(ORANGE), ...Array(5).fill(TEAL)] as number[][];
const close = (found: number[][], most: number) => {
  expect(found).toHaveLength(expected.length);
  for (const [index, color] of expected.entries())
    for (const [channel, value] of color.entries())
      expect(Math.abs(found[index]![channel]! - value), `image ${index}, channel ${channel}`).toBeLessThan(
        most,
      );
};

/** The frames that LoadVideo and GetVideoComponents read from a saved file, as PNG files. */
async function readBack(file: Saved): Promise<{ colors: number[][]; fps: number }> {
  const { outcome, message, outputs } = await run({
    video: {
      class_type: 'LoadVideo',
      inputs: { file: `${file.subfolder ? `${file.subfolder}/` : ''}${file.filename} [output]` },
    },
    parts: { class_type: 'GetVideoComponents', inputs: { video: ['video', 0] } },
    saved: { class_type: 'SaveImage', inputs: { images: ['parts', 0], filename_prefix: 'back' } },
    fps: { class_type: 'PreviewAny', inputs: { source: ['parts', 2] } },
  });
  expect([outcome, message]).toEqual(['execution_success', undefined]);
  const found: number[][] = [];
  for (const file of outputs.saved!.images!) {
    const { frames } = await decodeImage(await fetched(file), undefined);
    found.push([...frames[0]!.data.subarray(0, 3)]);
  }
  return { colors: found, fps: Number(outputs.fps!.text![0]) };
}

for (const codec of ['vp9', 'av1']) {
  test(`SaveWEBM writes ${codec} of odd sides, which LoadVideo reads`, async () => {
    const { outcome, message, outputs } = await run({
      ...testImages(65),
      saved: {
        class_type: 'SaveWEBM',
        inputs: { images: ['images', 0], filename_prefix: `clips/${codec}`, codec, fps: 12.5, crf: 20 },
      },
    });
    expect([outcome, message]).toEqual(['execution_success', undefined]);
    const file = { filename: `${codec}_00001_.webm`, subfolder: 'clips', type: 'output' };
    expect(outputs.saved).toEqual({ images: [file], animated: [true] });
    await fetched(file);
    const { streams, format } = probed(file.filename);
    expect(streams).toMatchObject([{ codec_name: codec, width: 65, height: 65, avg_frame_rate: '25/2' }]);
    expect(JSON.parse(format.tags.WORKFLOW!)).toEqual({ id: 'mine' });
    expect(JSON.parse(format.tags.PROMPT!).saved.class_type).toBe('SaveWEBM');
    close(colors(file.filename), 8);
    const back = await readBack(file);
    expect(back.fps).toBeCloseTo(12.5, 2);
    close(back.colors, 8);
  });
}

test('SaveVideo writes an MP4 file with audio, and copies it', async () => {
  const { outcome, message, outputs } = await run({
    ...testImages(),
    sound: { class_type: 'LoadAudio', inputs: { audio: 'a.flac' } },
    video: { class_type: 'CreateVideo', inputs: { images: ['images', 0], fps: 8, audio: ['sound', 0] } },
    saved: {
      class_type: 'SaveVideo',
      inputs: { video: ['video', 0], filename_prefix: 'video/x', format: 'auto', codec: 'auto' },
    },
  });
  expect([outcome, message]).toEqual(['execution_success', undefined]);
  const file = { filename: 'x_00001_.mp4', subfolder: 'video', type: 'output' };
  expect(outputs.saved).toEqual({ images: [file], animated: [true] });
  await fetched(file);
  const { streams, format } = probed(file.filename);
  // This depends on the browser: builds without licences have neither H.264 nor AAC.
  expect(streams.map(({ codec_name }) => codec_name)).toEqual([
    expect.stringMatching(/^(h264|vp9)$/),
    expect.stringMatching(/^(aac|opus)$/),
  ]);
  expect(streams[0]!.nb_frames).toBe('8');
  expect(JSON.parse(format.tags.workflow!)).toEqual({ id: 'mine' });
  close(colors(file.filename), 8);
  expect(strength(file.filename, 440)).toBeGreaterThan(0.2);
  close((await readBack(file)).colors, 8);

  const copied = await run({
    video: { class_type: 'LoadVideo', inputs: { file: 'video/x_00001_.mp4 [output]' } },
    saved: {
      class_type: 'SaveVideo',
      inputs: { video: ['video', 0], filename_prefix: 'copy', format: 'mp4', codec: 'auto' },
    },
  });
  expect([copied.outcome, copied.message]).toEqual(['execution_success', undefined]);
  await fetched(copied.outputs.saved!.images![0]!);
  const packets = (name: string) =>
    execFileSync('ffmpeg', ['-v', 'error', '-i', place(name), '-map', '0:v', '-f', 'md5', '-'], {
      encoding: 'utf8',
    });
  expect(packets('copy_00001_.mp4')).toBe(packets('x_00001_.mp4'));
  expect(JSON.parse(probed('copy_00001_.mp4').format.tags.prompt!).saved.inputs.filename_prefix).toBe('copy');
});

test('LoadAudio reads compressed audio, and SaveAudioOpus writes it', async () => {
  // The error for a codec that a browser without licences lacks contains the codec's name.
  for (const name of ['a.mp3', 'a.ogg', 'a.m4a']) {
    const { outcome, message, outputs } = await run({
      sound: { class_type: 'LoadAudio', inputs: { audio: name } },
      saved: {
        class_type: 'SaveAudioOpus',
        inputs: { audio: ['sound', 0], filename_prefix: name, quality: '96k' },
      },
    });
    if (name === 'a.m4a' && outcome === 'execution_error') {
      expect(message).toMatch(/'a.m4a': its audio is coded as aac, which this browser does not decode/);
      continue;
    }
    expect([outcome, message]).toEqual(['execution_success', undefined]);
    const file = { filename: `${name}_00001_.opus`, subfolder: '', type: 'output' };
    expect(outputs.saved).toEqual({ audio: [file] });
    await fetched(file);
    const { streams } = probed(file.filename);
    expect(streams).toMatchObject([
      { codec_name: 'opus', channels: 2, tags: { workflow: '{"id": "mine"}' } },
    ]);
    expect(strength(file.filename, 440)).toBeGreaterThan(0.4);
  }
});

test('the error for an unavailable codec states the alternative', async () => {
  const mp3 = await run({
    sound: { class_type: 'EmptyAudio', inputs: { duration: 0.1, sample_rate: 8000, channels: 1 } },
    saved: {
      class_type: 'SaveAudioMP3',
      inputs: { audio: ['sound', 0], filename_prefix: 'm', quality: 'V0' },
    },
  });
  expect([mp3.outcome, mp3.message]).toEqual([
    'execution_error',
    expect.stringMatching(/browsers do not write MP3: .*SaveAudioOpus/),
  ]);
  await filesOfTab(page).write('input/bad.mp4', Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://localhost/x.ts\n'));
  const bad = await run({
    video: { class_type: 'LoadVideo', inputs: { file: 'bad.mp4' } },
    saved: {
      class_type: 'SaveVideo',
      inputs: { video: ['video', 0], filename_prefix: 'x', format: 'auto', codec: 'auto' },
    },
  });
  expect([bad.outcome, bad.message]).toEqual([
    'execution_error',
    expect.stringContaining("cannot read the video file 'bad.mp4': it is in no format that is read here"),
  ]);
});

test('an interrupt ends the writing of a video', async () => {
  const { outcome, outputs } = await run(
    {
      images: empty(TEAL, 200, 256),
      saved: {
        class_type: 'SaveWEBM',
        inputs: { images: ['images', 0], filename_prefix: 'long', codec: 'av1', fps: 24, crf: 10 },
      },
    },
    'saved',
  );
  expect([outcome, outputs]).toEqual(['execution_interrupted', {}]);
  const status = await page.evaluate(async () => (await fetch('/view?filename=long_00001_.webm')).status);
  expect(status).toBe(404);
});
