import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { leaderLock, serverLock } from '#relay/lock-names.ts';
import type { CoordinationMessage } from '#relay/messages.ts';
import { FakeLocks } from '#test/support/browser/fake-locks.ts';
import { Leadership, type LeaderTerm } from './leadership.ts';

const SCOPE = '/';
const channels = new Set<FakeChannel>();

/** A BroadcastChannel that delivers at once, so that the clock of the test decides the order. */
class FakeChannel extends EventTarget {
  constructor() {
    super();
    channels.add(this);
  }

  postMessage(data: unknown): void {
    for (const channel of channels)
      if (channel !== this) channel.dispatchEvent(Object.assign(new Event('message'), { data }));
  }

  close(): void {
    channels.delete(this);
  }
}

interface Candidate {
  leadership: Leadership;
  terms: { epoch: number; running: number; restart: ReturnType<typeof vi.fn>; ended: boolean }[];
}

let locks: FakeLocks;
const open: Leadership[] = [];

function join(page: string, build = 1): Candidate {
  const terms: Candidate['terms'] = [];
  const leadership = new Leadership(SCOPE, { schema: 1, build, page }, (epoch): LeaderTerm => {
    const term = { epoch, running: 0, restart: vi.fn(), ended: false };
    terms.push(term);
    return {
      epoch,
      running: async () => term.running,
      restart: term.restart,
      end: () => {
        term.ended = true;
      },
    };
  });
  open.push(leadership);
  void leadership.run();
  return { leadership, terms };
}

const pass = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);
const say = (message: CoordinationMessage) => new FakeChannel().postMessage(message);
/** Holds the lock of a living server, as its worker does. */
const serve = (epoch: number) =>
  void locks.request(serverLock(SCOPE, { schema: 1, epoch, page: 'a' }), () => new Promise(() => {}));

beforeEach(() => {
  vi.useFakeTimers({ now: 1000, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  locks = new FakeLocks();
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('BroadcastChannel', FakeChannel);
});
afterEach(() => {
  for (const leadership of open.splice(0)) leadership.stop();
  channels.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('the first page leads, and the next one follows when it stops', async () => {
  const [first, second] = [join('a'), join('b')];
  await pass();
  expect([first.terms.length, second.terms.length]).toEqual([1, 0]);
  first.leadership.stop();
  await pass();
  expect(first.terms[0]!.ended).toBe(true);
  expect(second.terms.length).toBe(1);
});

it('a term begins with a later epoch than that of any living server', async () => {
  serve(7000);
  const { terms } = join('a');
  await pass();
  expect(terms[0]!.epoch).toBe(7001);
});

it('an older build resigns for a newer one as soon as nothing runs', async () => {
  const old = join('a', 1);
  await pass();
  old.terms[0]!.running = 1;
  const newer = join('b', 2);
  await pass(2000);
  expect([old.terms[0]!.ended, newer.terms.length]).toEqual([false, 0]);
  old.terms[0]!.running = 0;
  await pass(1000);
  expect([old.terms[0]!.ended, newer.terms.length]).toEqual([true, 1]);
});

it('a newer build does not resign for an older one', async () => {
  const newer = join('a', 2);
  await pass();
  const old = join('b', 1);
  await pass(2000);
  expect([newer.terms[0]!.ended, old.terms.length]).toEqual([false, 0]);
});

it('the leader replaces its server that answers no ping in 4 seconds', async () => {
  const { terms } = join('a');
  await pass();
  serve(terms[0]!.epoch);
  say({ call: 'unresponsive', epoch: terms[0]!.epoch });
  await pass(3999);
  expect(terms[0]!.restart).not.toHaveBeenCalled();
  await pass(1);
  expect(terms[0]!.restart).toHaveBeenCalledOnce();
});

it('a server that answers the ping stays', async () => {
  const { terms } = join('a');
  await pass();
  const { epoch } = terms[0]!;
  serve(epoch);
  say({ call: 'unresponsive', epoch });
  await pass(1000);
  say({ call: 'pong', epoch });
  await pass(10_000);
  expect(terms[0]!.restart).not.toHaveBeenCalled();
});

it('a report about a server that is not the newest is ignored', async () => {
  const { terms } = join('a');
  await pass();
  serve(terms[0]!.epoch);
  say({ call: 'unresponsive', epoch: terms[0]!.epoch - 1 });
  await pass(10_000);
  expect(terms[0]!.restart).not.toHaveBeenCalled();
});

it('another page takes over from a frozen leader', async () => {
  // The frozen page holds the lock and reacts to nothing.
  const frozen = locks.request(leaderLock(SCOPE), () => new Promise(() => {}));
  frozen.catch(() => {});
  serve(500);
  const { terms } = join('b');
  await pass();
  expect(terms.length).toBe(0);
  say({ call: 'unresponsive', epoch: 500 });
  await pass(4000);
  expect(terms.length).toBe(1);
  await expect(frozen).rejects.toMatchObject({ name: 'AbortError' });
});
