import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordsSchema } from '#core/host';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import type { Video } from '../../values/media.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { anyOf } from '../kernel/inputs.ts';
import { node } from '../kernel/node-type.ts';

/** The values that the probe received in the current test. */
let received: unknown[] = [];
const probe = node({
  name: 'Probe',
  category: 'test',
  module: 'test',
  isOutput: true,
  inputs: { value: anyOf('*') },
  outputs: [],
  run: ({ value }) => {
    received.push(value);
    return [];
  },
});

const host = { ...createTestHost({ schema: recordsSchema, clock: 'real' }), imageCodecs: nodeCodecs };
const server = imageServer({ host, customNodes: [probe] });
const gray = (value: number, opacity = 255) =>
  encodePng({
    width: 2,
    height: 1,
    channels: 4,
    data: Uint8Array.of(value, value, value, opacity, value, value, value, opacity),
  });

async function upload(bytes: Uint8Array, name: string, fields: Record<string, string>) {
  const form = new FormData();
  form.set('image', new File([bytes as Uint8Array<ArrayBuffer>], name));
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return (await server.ask('POST', '/upload/image', form)).json();
}

beforeAll(async () => {
  expect(await upload(new Uint8Array([1, 2, 3]), 'cup.glb', { subfolder: '3d' })).toEqual({
    name: 'cup.glb',
    subfolder: '3d',
    type: 'input',
  });
  await upload(gray(51), 'scene.png', { subfolder: 'threed', type: 'temp' });
  await upload(gray(0, 102), 'mask.png', { subfolder: 'threed', type: 'temp' });
  await upload(gray(102), 'normal.png', {});
  await upload(gray(153), 'lineart.png', {});
});
afterAll(() => server.close());

const view = {
  image: 'threed/scene.png [temp]',
  mask: 'threed/mask.png [temp]',
  normal: 'normal.png',
  lineart: 'lineart.png',
  recording: '',
  camera_info: { position: { x: 1, y: 2.5, z: 3 }, zoom: 1 },
};
const graphOf = (class_type: string, slots: number, image: unknown = view) => ({
  1: { class_type, inputs: { model_file: '3d/cup.glb', image, width: 64, height: 64 } },
  ...Object.fromEntries(
    Array.from({ length: slots }, (_, slot) => [
      `p${slot}`,
      { class_type: 'Probe', inputs: { value: ['1', slot] } },
    ]),
  ),
});

test('model files of input/3d are listed and served with their media type', async () => {
  await upload(new Uint8Array([1]), 'notes.txt', { subfolder: '3d' });
  await upload(new Uint8Array([1]), 'elsewhere.glb', {});
  await upload(new Uint8Array([1]), 'Deep.FBX', { subfolder: '3d/more' });
  const info = await (await server.ask('GET', '/object_info/Load3D')).json();
  expect(info.Load3D.input.required.model_file[0]).toEqual(['3d/cup.glb', '3d/more/Deep.FBX']);
  const model = await server.ask('GET', '/view?filename=cup.glb&subfolder=3d&type=input');
  expect(model.headers.get('content-type')).toBe('model/gltf-binary');
  expect([...new Uint8Array(await model.arrayBuffer())]).toEqual([1, 2, 3]);
});

test('Load3D outputs the images that the editor rendered, the path and the camera', async () => {
  received = [];
  const { entry } = await server.run(graphOf('Load3D', 7));
  expect(entry.status.status_str).toBe('success');
  const first = (value: unknown) => (value as FloatTensor).data[0];
  const images = received.filter((value) => (value as FloatTensor | null)?.shape !== undefined);
  expect(images.map(first)).toEqual([0.2, 0.6, 0.4, 0.6].map(Math.fround));
  expect(images.map((value) => (value as FloatTensor).shape)).toEqual([
    [1, 1, 2, 3],
    [1, 1, 2],
    [1, 1, 2, 3],
    [1, 1, 2, 3],
  ]);
  expect(received).toContain('3d/cup.glb');
  // There is no recording.
  expect(received).toContain(null);
});

test('Preview3D shows the model with the camera of Load3DAnimation', async () => {
  const { entry } = await server.run({
    ...graphOf('Load3DAnimation', 0),
    2: { class_type: 'Preview3D', inputs: { model_file: ['1', 2], camera_info: ['1', 4] } },
    3: { class_type: 'Preview3DAnimation', inputs: { model_file: '3d/cup.glb' } },
  });
  expect(entry.outputs['2']).toEqual({ result: ['3d/cup.glb', view.camera_info] });
  expect(entry.outputs['3']).toEqual({ result: ['3d/cup.glb', null] });
});

test.each([
  [{ ...view, normal: '' }, 'the view of the model has no image called normal'],
  [{ ...view, image: 'gone.png' }, 'Invalid image file: gone.png'],
  [{ ...view, recording: 'gone.mp4' }, 'Invalid video file: gone.mp4'],
  ['threed/scene.png [temp]', 'the view of the model has no image called image'],
])('names a missing part of the view (%#)', async (image, message) => {
  const { entry } = await server.run(graphOf('Load3D', 1, image));
  const failure = entry.status.messages.find(([name]) => name === 'execution_error');
  expect(failure?.[1].exception_message).toContain(message);
});

test('Load3D outputs a recording as a video', async () => {
  await upload(new Uint8Array([1]), 'turn.mp4', { subfolder: 'threed', type: 'temp' });
  received = [];
  await server.run(graphOf('Load3D', 7, { ...view, recording: 'threed/turn.mp4 [temp]' }));
  expect(received.some((value) => typeof (value as Video | null)?.parts === 'function')).toBe(true);
});

test('Load3D runs again when an image of the same name changes', async () => {
  const run = async () => {
    received = [];
    await server.run(graphOf('Load3D', 1));
    return (received[0] as FloatTensor | undefined)?.data[0];
  };
  await run();
  await upload(gray(255), 'scene.png', { subfolder: 'threed', type: 'temp', overwrite: 'true' });
  expect(await run()).toBe(1);
});
