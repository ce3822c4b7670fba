import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { choosingNodes } from './choose.ts';

let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  server = imageServer();
});
afterEach(() => server.close());

const run = (name: string, values: Record<string, unknown>) =>
  choosingNodes.find((type) => type.name === name)!.run(values, {} as NodeContext);
const text = (value: string) => ({ class_type: 'PrimitiveString', inputs: { value } });
const switched = (inputs: Record<string, unknown>) => ({
  yes: text('yes'),
  no: text('no'),
  chosen: { class_type: 'ComfySwitchNode', inputs },
  shown: { class_type: 'PreviewAny', inputs: { source: ['chosen', 0] } },
});

it.each([true, false])('a switch that is %s runs and passes on one input', async (isOn) => {
  const { entry, heard } = await server.run(
    switched({ switch: isOn, on_true: ['yes', 0], on_false: ['no', 0] }),
  );
  expect(entry.outputs.shown).toEqual({ text: [isOn ? 'yes' : 'no'] });
  const started = heard.flatMap((message) => ('type' in message && message.data.node) || []);
  expect(started).not.toContain(isOn ? 'no' : 'yes');
});

it('a switch names the input that it chose when that has no link', async () => {
  const { entry } = await server.run(switched({ switch: true, on_false: ['no', 0] }));
  const failure = entry.status.messages.find(([type]) => type === 'execution_error');
  expect(failure?.[1].exception_message).toContain('the switch chose on_true, which has no link');
});

it('a written choice is passed on with its position', () => {
  expect(run('CustomCombo', { choice: 'Turbo', index: 2 })).toEqual(['Turbo', 2]);
});

it.each([
  ['1:1 (Square)', 1, 8, [1024, 1024]],
  ['16:9 (Widescreen)', 0.4, 32, [864, 480]],
  ['2:3 (Portrait Photo)', 1, 64, [832, 1280]],
])('%s with %d megapixels', (aspect_ratio, megapixels, multiple, sides) => {
  expect(run('ResolutionSelector', { aspect_ratio, megapixels, multiple })).toEqual(sides);
});

it('a shape that is none is refused with the existing ones', () => {
  expect(() => run('ResolutionSelector', { aspect_ratio: 'wide', megapixels: 1 })).toThrow(
    '21:9 (Ultrawide)',
  );
});
