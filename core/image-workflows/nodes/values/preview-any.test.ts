import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer();
});
afterEach(() => server.close());

it('passes its text on, as newer versions do, and is described without an output', async () => {
  const { entry } = await server.run({
    number: { class_type: 'PrimitiveInt', inputs: { value: 5 } },
    shown: { class_type: 'PreviewAny', inputs: { source: ['number', 0] } },
    again: { class_type: 'PreviewAny', inputs: { source: ['shown', 0] } },
  });
  expect(entry.outputs.again).toEqual({ text: ['5'] });
  const description = await (await server.ask('GET', '/object_info/PreviewAny')).json();
  expect(description).toMatchObject({ PreviewAny: { output: [], output_name: [], output_is_list: [] } });
});
