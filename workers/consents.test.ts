import { expect, test, vi } from 'vitest';
import { Consents } from './consents.ts';

const request = { model: 'm', bytes: 1 };
const never = new AbortController().signal;
const page = (ask: () => Promise<boolean>) => ({ ask, withdraw: vi.fn() });

test('nobody to ask means no', async () => {
  expect(await new Consents().ask(request, never)).toBe(false);
});

test('the first answer counts, and the question is withdrawn everywhere', async () => {
  const consents = new Consents();
  const silent = page(() => new Promise(() => {}));
  const willing = page(async () => true);
  consents.add(silent);
  consents.add(willing);
  expect(await consents.ask(request, never)).toBe(true);
  expect(silent.withdraw).toHaveBeenCalledOnce();
});

test('a page that is gone neither answers nor holds up', async () => {
  const consents = new Consents();
  const gone = page(async () => {
    throw new Error('the port is closed');
  });
  consents.add(gone);
  expect(await consents.ask(request, never)).toBe(false);
  const ask = vi.spyOn(gone, 'ask');
  await consents.ask(request, never);
  expect(ask).not.toHaveBeenCalled();
});

test('whoever asked may leave', async () => {
  const consents = new Consents();
  const silent = page(() => new Promise(() => {}));
  consents.add(silent);
  const left = new AbortController();
  const asked = consents.ask(request, left.signal);
  left.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
  expect(silent.withdraw).toHaveBeenCalledOnce();
});
