import { expect, it } from 'vitest';
import { mergeRunningModels } from './running-models.ts';

const row = (name: string, expires_at: string, more: { size?: number; digest?: string } = {}) => ({
  ...{ name, model: name, digest: name, size: 10, size_vram: 4, expires_at },
  ...more,
});

it('has one row for the copies of a model, until the last one is unloaded', () => {
  const [early, late] = ['2026-11-28T11:30:00.5Z', '2026-11-28T11:00:00-01:00'];
  const lists = [
    [row('a', early), row('b', early)],
    [row('a', late, { size: 20 })],
    [row('b', late, { digest: 'other' })],
    [],
  ];
  expect(mergeRunningModels(lists)).toEqual([
    { ...row('a', late), size: 30, size_vram: 8 },
    row('b', early),
    row('b', late, { digest: 'other' }),
  ]);
  expect(mergeRunningModels([])).toEqual([]);
});
