import { afterEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';

let server: ReturnType<typeof imageServer>;
afterEach(() => server.close());

const show = (class_type: string, inputs: Record<string, unknown>) => ({
  '1': { class_type, inputs },
  '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
});

it.each([
  ['AudioEncoderLoader', 'audio_encoder_name', 'audio_encoders', /only video models that follow audio/],
])('%s lists files, and names the cause when it runs', async (name, input, folder, cause) => {
  server = imageServer();
  await server.host.files.write(`models/${folder}/a.safetensors`, new Uint8Array(8));
  const info = await (await server.ask('GET', `/object_info/${name}`)).json();
  const [type, options] = info[name].input.required[input];
  expect(type === 'COMBO' ? options.options : type).toEqual(['a.safetensors']);
  const { entry } = await server.run(show(name, { [input]: 'a.safetensors' }));
  const failure = entry.status.messages.find(([type]) => type === 'execution_error');
  expect(failure?.[1].exception_message).toMatch(cause);
  expect(failure?.[1].exception_message).toContain('a.safetensors');
});
