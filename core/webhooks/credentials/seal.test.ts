import { expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { seal, unseal } from './seal.ts';
import { Signatures } from './signatures.ts';

const { keys } = createTestHost();

it.each(['', 'secret', 'ünï 😀', 'x'.repeat(10_000)])('sealed text opens again: %#', async (text) => {
  const sealed = await seal(keys, text, 'context');
  expect(await unseal(keys, sealed, 'context')).toBe(text);
  if (text !== '') expect(atob(sealed)).not.toContain(text);
});

it('the same text is sealed differently each time', async () => {
  expect(await seal(keys, 'secret', 'context')).not.toBe(await seal(keys, 'secret', 'context'));
});

it('sealed text does not open in another context, with another key, or after a change', async () => {
  const sealed = await seal(keys, 'secret', 'context');
  await expect(unseal(keys, sealed, 'other')).rejects.toThrow();
  await expect(unseal(createTestHost().keys, sealed, 'context')).rejects.toThrow();
  const changed = (sealed[20] === 'A' ? 'B' : 'A').padStart(21, sealed).slice(0, 21) + sealed.slice(21);
  expect(changed).toHaveLength(sealed.length);
  await expect(unseal(keys, changed, 'context')).rejects.toThrow();
});

it('signatures are HMACs that only this installation can create', async () => {
  const records = new MemoryRecords(recordsSchema);
  const signatures = await Signatures.open(records);
  const signature = signatures.of('/webhook-waiting/7');
  expect(signature).toMatch(/^[0-9a-f]{64}$/);
  expect(signatures.of('/webhook-waiting/8')).not.toBe(signature);
  const again = await Signatures.open(records);
  expect(again.isOf('/webhook-waiting/7', signature)).toBe(true);
  expect(again.isOf('/webhook-waiting/8', signature)).toBe(false);
  expect(again.isOf('/webhook-waiting/7', signature.slice(1))).toBe(false);
  const other = await Signatures.open(new MemoryRecords(recordsSchema));
  expect(other.isOf('/webhook-waiting/7', signature)).toBe(false);
});
