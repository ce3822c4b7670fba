import { afterEach, expect, test } from 'vitest';
import { encodeFlac } from '#core/audio';
import { audioOfFile } from '#test/support/image-workflows/audio-values.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';

let server: ReturnType<typeof imageServer>;
afterEach(() => server.close());
const { signal } = new AbortController();

test('audio is uploaded, appended to silence, saved, listed in the history and fetched', async () => {
  server = imageServer();
  const form = new FormData();
  const bytes = await encodeFlac([Float32Array.of(0.5, -0.5)], 8, {}, signal);
  form.set('image', new File([bytes], 'beep.flac', { type: 'audio/flac' }));
  const uploaded = await (await server.ask('POST', '/upload/image', form)).json();
  expect(uploaded).toEqual({ name: 'beep.flac', subfolder: '', type: 'input' });
  const info = (await (await server.ask('GET', '/object_info/LoadAudio')).json()) as {
    LoadAudio: { input: { required: unknown } };
  };
  expect(info.LoadAudio.input.required).toEqual({ audio: [['beep.flac'], { audio_upload: true }] });

  const prompt = {
    silence: { class_type: 'EmptyAudio', inputs: { duration: 0.25, sample_rate: 8, channels: 1 } },
    beep: { class_type: 'LoadAudio', inputs: { audio: 'beep.flac' } },
    both: {
      class_type: 'AudioConcat',
      inputs: { audio1: ['silence', 0], audio2: ['beep', 0], direction: 'after' },
    },
    saved: { class_type: 'SaveAudio', inputs: { audio: ['both', 0], filename_prefix: 'audio/x' } },
  };
  const { entry } = await server.run(prompt, { extra_data: { extra_pnginfo: { workflow: { id: 'w' } } } });
  expect(entry.outputs).toEqual({
    saved: { audio: [{ filename: 'x_00001_.flac', subfolder: 'audio', type: 'output' }] },
  });
  const file = await server.ask('GET', '/view?filename=x_00001_.flac&subfolder=audio&type=output');
  expect(file.headers.get('content-type')).toBe('audio/flac');
  const fetched = new Uint8Array(await file.arrayBuffer());
  const { waveform, sample_rate } = await audioOfFile(fetched, signal);
  expect(sample_rate).toBe(8);
  expect(waveform.shape).toEqual([1, 2, 4]);
  expect([...waveform.data]).toEqual([0, 0, 0.5, -0.5, 0, 0, 0.5, -0.5]);
  const text = new TextDecoder().decode(fetched);
  expect(text).toContain('workflow={"id": "w"}');
  expect(text).toContain('prompt={"silence": {');
});

test('a file that cannot be read fails the prompt with its name and the reason', async () => {
  server = imageServer();
  await server.host.files.write('input/song.mp3', new Uint8Array([0x49, 0x44, 0x33, 4]));
  const { entry } = await server.run({
    song: { class_type: 'LoadAudio', inputs: { audio: 'song.mp3' } },
    shown: { class_type: 'PreviewAudio', inputs: { audio: ['song', 0] } },
  });
  const failure = entry.status.messages.find(([name]) => name === 'execution_error')![1];
  expect(failure).toMatchObject({
    node_id: 'song',
    exception_type: 'SoundUnreadable',
    exception_message: expect.stringContaining(
      "'song.mp3': MP3 files are not read here: save it as WAV or FLAC",
    ),
  });
});
