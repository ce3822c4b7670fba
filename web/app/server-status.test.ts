import { expect, it, vi } from 'vitest';
import { serverStatus } from './server-status.ts';
import { appStrings } from './strings/app.ts';

const { server } = appStrings;
type State = Parameters<typeof serverStatus>[0];

const statusOf = (state: Partial<State>, reload = () => {}) =>
  serverStatus({ phase: 'ready', leading: true, ...state } as State, reload);

it.each([
  [{ phase: 'starting' }, 'starting', server.starting],
  [{}, 'ready', server.inThisTab],
  [{ leading: false }, 'ready', server.inOtherTab],
  [{ phase: 'failed', reason: 'no worker' }, 'failed', server.failed],
] as const)('labels %j', (state, shown, label) => {
  expect(statusOf(state)).toMatchObject({ state: shown, label });
});

it('shows the reason of a failure', () => {
  expect(statusOf({ phase: 'failed', reason: 'no worker' }).notice).toBe('no worker');
});

it('offers a reload for an active update, and waits with a pending one', () => {
  const reload = vi.fn();
  const status = statusOf({ update: 'active', serviceWorker: 'unavailable' }, reload);
  expect(status.notice).toBe(server.updateReady);
  status.action?.run();
  expect(reload).toHaveBeenCalledOnce();
  const waiting = statusOf({ update: 'waiting' });
  expect([waiting.notice, waiting.action]).toEqual([server.updateBusy, undefined]);
});

it('warns about missing service workers', () => {
  expect(statusOf({ serviceWorker: 'unavailable' }).notice).toBe(server.noServiceWorker);
  expect(statusOf({}).notice).toBeUndefined();
});
