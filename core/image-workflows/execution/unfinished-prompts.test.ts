import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { promptOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { PromptStore } from './prompt-store.ts';
import { hasUnfinishedPrompts } from './unfinished-prompts.ts';

it('finds prompts that wait or run', async () => {
  const records = new MemoryRecords(recordsSchema);
  const store = new PromptStore(records);
  expect(await hasUnfinishedPrompts(records)).toBe(false);
  const prompt = promptOf({});
  await store.put(prompt);
  expect(await hasUnfinishedPrompts(records)).toBe(true);
  await store.delete(prompt);
  expect(await hasUnfinishedPrompts(records)).toBe(false);
});
