import { expect, it } from 'vitest';
import { deletePreset, presetOf, readPresets, savePreset, withPreset } from './presets.ts';

function memory(text: string | null = null) {
  let stored = text;
  return {
    getItem: () => stored,
    setItem(_: string, value: string) {
      stored = value;
    },
  };
}

it('stores presets by name, and one of each name', () => {
  const storage = memory();
  savePreset(storage, { name: 'Translator', settings: { system: 'Translate.' } });
  savePreset(storage, { name: 'Coder', settings: { system: 'Write code.', temperature: 0 } });
  savePreset(storage, { name: 'Translator', settings: { system: 'Translate to French.' } });
  expect(readPresets(storage)).toEqual([
    { name: 'Coder', settings: { system: 'Write code.', temperature: 0 } },
    { name: 'Translator', settings: { system: 'Translate to French.' } },
  ]);
  savePreset(storage, { name: 'Programmer', settings: {} }, 'Coder');
  deletePreset(storage, 'Translator');
  expect(readPresets(storage)).toEqual([{ name: 'Programmer', settings: {} }]);
});

it('leaves the images of other sites to each chat', () => {
  const storage = memory();
  savePreset(storage, { name: 'a', settings: { seed: 1, remoteImages: true } });
  const [preset] = readPresets(storage);
  expect(preset!.settings).toEqual({ seed: 1 });
  expect(withPreset({ temperature: 1, remoteImages: true }, preset!.settings)).toEqual({
    seed: 1,
    remoteImages: true,
  });
});

it('finds the preset of a chat, whatever the order of its settings', () => {
  const presets = [{ name: 'a', settings: { seed: 1, system: 'x' } }];
  expect(presetOf(presets, { system: 'x', seed: 1, remoteImages: true })?.name).toBe('a');
  expect(presetOf(presets, { system: 'x' })).toBeUndefined();
});

it.each([['{'], ['7'], ['null']])('reads %s as no presets', (text) =>
  expect(readPresets(memory(text))).toEqual([]),
);

it('leaves out damaged entries', () =>
  expect(readPresets(memory('[{"name":1},null,{"name":"a","settings":{}}]'))).toEqual([
    { name: 'a', settings: {} },
  ]));
