import { expect, it } from 'vitest';
import { FormData } from './form-data.ts';

function filled(): FormData {
  const form = new FormData();
  form.append('a', 1);
  form.append('b', 'file', 'b.txt');
  form.append('a', 2);
  return form;
}

it('keeps fields of the same name, in their order', () => {
  const form = filled();
  expect([...form]).toEqual([
    ['a', 1, undefined],
    ['b', 'file', 'b.txt'],
    ['a', 2, undefined],
  ]);
  expect([form.get('a'), form.getAll('a'), form.has('a')]).toEqual([1, [1, 2], true]);
});

it('replaces and deletes every field of a name', () => {
  const form = filled();
  form.set('a', 3);
  expect(form.getAll('a')).toEqual([3]);
  form.delete('a');
  form.delete('none');
  expect([...form.entries()].map(([name]) => name)).toEqual(['b']);
});

it('answers for a field that it lacks', () => {
  const form = new FormData();
  expect([form.get('toString'), form.getAll('a'), form.has('a'), [...form]]).toEqual([null, [], false, []]);
});

it('takes names of any type as text, and protects its fields', () => {
  const form = new FormData();
  form.append(5 as never, 'x');
  const [field] = form.entries();
  field![1] = 'changed';
  expect(form.get('5')).toBe('x');
});
