/** The tools that run published graphs with small files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSafetensors } from '#core/tensors';
import { outcomesIn, outcomeTable, writeOutcomes } from '#test/graphs/outcome-table.ts';
import patterns from '#test/graphs/recipes/published-files.json' with { type: 'json' };
import { RECIPES } from '#test/graphs/recipes/recipes.ts';
import { uniformUnet } from '#test/graphs/recipes/shapes.ts';
import { writeRecipe } from '#test/graphs/recipes/write-recipe.ts';
import type { Outcome } from '#test/graphs/run-graph.ts';
import { smallPrompt } from '#test/graphs/small-prompt.ts';
import { unetShapes } from '#test/support/model-files/unet-weights.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabd-graphs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const small = (inputs: Record<string, unknown>) =>
  smallPrompt({ 1: { class_type: 'Any', inputs } })['1']!.inputs;

test('a prompt becomes quick by its numbers alone', () => {
  expect(small({ width: 1280, height: 720, length: 81, batch_size: 4, text: 'a cat', cfg: 7 })).toEqual({
    ...{ width: 320, height: 192, length: 9, batch_size: 1, text: 'a cat', cfg: 7 },
  });
  expect(small({ width: ['4', 0], height: 48, seed: 30 })).toEqual({ width: ['4', 0], height: 48, seed: 30 });
});

test('samplers that share their steps still do', () => {
  expect(small({ steps: 20, start_at_step: 0, end_at_step: 10 })).toEqual({
    ...{ steps: 2, start_at_step: 0, end_at_step: 1 },
  });
  expect(small({ steps: 20, start_at_step: 10, end_at_step: 10000 })).toEqual({
    ...{ steps: 2, start_at_step: 1, end_at_step: 10000 },
  });
  expect(small({ steps: 1, start_at_step: 0, end_at_step: 1 })).toEqual({
    ...{ steps: 1, start_at_step: 0, end_at_step: 1 },
  });
});

test('a recipe gives the same values under the same names', async () => {
  const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
  const shapes = { 'a.weight': [3, 70_000], 'b.weight': [4], 'b.bias': [4] };
  writeRecipe(first, shapes, { note: Uint8Array.of(7) });
  writeRecipe(second, { 'b.bias': [4], 'a.weight': [3, 70_000] });
  const read = async (path: string) => {
    const bytes = readFileSync(path);
    const table = await readSafetensors(bytes.length, async (start, end) => bytes.subarray(start, end));
    return new Map(
      table.map(({ name, type, shape, start, end }) => [
        name,
        { type, shape, data: bytes.subarray(start, end) },
      ]),
    );
  };
  const [left, right] = [await read(first), await read(second)];
  expect(left.get('a.weight')).toMatchObject({ type: 'BF16', shape: [3, 70_000] });
  expect(left.get('a.weight')!.data.equals(right.get('a.weight')!.data)).toBe(true);
  expect(left.get('b.bias')!.data.equals(right.get('b.bias')!.data)).toBe(true);
  expect([...left.get('note')!.data]).toEqual([7]);
});

test('each pattern of published files names a recipe', () => {
  for (const [pattern, recipe] of patterns) {
    expect(() => new RegExp(pattern!)).not.toThrow();
    expect(Object.keys(RECIPES)).toContain(recipe);
  }
});

test('a UNet whose levels get one width is the UNet of that width', () => {
  const unet = { width: 320, layers: 2, context: 768, depths: [1, 1, 1, 0], middle: 1 };
  const uniform = uniformUnet(unetShapes({ ...unet, factors: [1, 2, 4, 4] }));
  for (const [name, shape] of Object.entries(unetShapes({ ...unet, factors: [1, 1, 1, 1] })))
    expect([name, uniform[name]]).toEqual([name, shape]);
});

test('a run of some graphs leaves the other outcomes of the table', async () => {
  const path = join(folder, 'README.md');
  const outcomes = new Map<string, Outcome>([
    ['b', { kind: 'ran', seconds: 1.25 }],
    ['a', { kind: 'failed', reason: 'Node: x | y\nz' }],
  ]);
  writeFileSync(path, 'before\n<!-- outcomes -->\n<!-- end of outcomes -->\nafter\n');
  await writeOutcomes(path, outcomes);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^before\n<!-- outcomes -->\n1 of 2 graphs ran, [\d-]+\.\n/);
  expect(text).toContain('| a | failed | Node: x / y z |\n| b | ran | 1.3 s |');
  expect(text.endsWith('<!-- end of outcomes -->\nafter\n')).toBe(true);
  expect(await outcomesIn(path)).toEqual(
    new Map([
      ['a', { kind: 'failed', reason: 'Node: x / y z' }],
      ['b', { kind: 'ran', seconds: 1.3 }],
    ]),
  );
  expect(outcomeTable(new Map())).toContain('0 of 0 graphs ran');
});
