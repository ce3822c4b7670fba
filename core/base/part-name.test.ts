import { expect, it } from 'vitest';
import { isPartName, partNames, withoutPartNumber } from './part-name.ts';

it('names the file that was split, and all of its parts', () => {
  const part = 'dir/Model.Q8_0-00002-of-00003.GGUF';
  expect(isPartName(part)).toBe(true);
  expect(withoutPartNumber(part)).toBe('dir/Model.Q8_0.GGUF');
  expect(partNames(part)).toEqual([
    'dir/Model.Q8_0-00001-of-00003.GGUF',
    'dir/Model.Q8_0-00002-of-00003.GGUF',
    'dir/Model.Q8_0-00003-of-00003.GGUF',
  ]);
});

it.each(['model.gguf', 'model-1-of-3.gguf', 'model-00001-of-00003.safetensors'])('%s is no part', (name) => {
  expect([isPartName(name), withoutPartNumber(name), partNames(name)]).toEqual([false, name, [name]]);
});
