import { expect, test, vi } from 'vitest';
import { Consents } from './consents.ts';

const request = { model: 'm', bytes: 1 };
const never = new AbortController().signal;
const page = (ask: () => Promise<boolean>) => ({ ask, withdraw: vi.fn() });

test('without a page the answer is no', async () => {
  expect(await new Consents().ask(request, never)).toBe(false);
});

test('the first answer counts, and the request is withdrawn from the other pages', async () => {
  const consents = new Consents();
  const silent = page(() => new Promise(() => {}));
  const willing = page(async () => true);
  consents.add(silent);
  consents.add(willing);
  expect(await consents.ask(request, never)).toBe(true);
  expect(silent.withdraw).toHaveBeenCalledOnce();
});

test('a page that cannot be reached counts as no, and is not asked again', async () => {
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

test('an abort rejects and withdraws the request', async () => {
  const consents = new Consents();
  const silent = page(() => new Promise(() => {}));
  consents.add(silent);
  const abort = new AbortController();
  const answer = consents.ask(request, abort.signal);
  abort.abort(new Error('left'));
  await expect(answer).rejects.toThrow('left');
  expect(silent.withdraw).toHaveBeenCalledOnce();
});
