import { expect, it } from 'vitest';
import { Deferred } from '#core/base';
import { FAST_BEAT, Heartbeat, SILENCE } from './heartbeat.ts';

function setUp() {
  let time = 0;
  const beat = new Heartbeat(() => time);
  const pings: Deferred<number>[] = [];
  const ping = () => {
    const sent = new Deferred<number>();
    pings.push(sent);
    return beat.follow(sent.promise);
  };
  return {
    beat,
    pings,
    ping,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it('loses a tab that stops within a second, whenever its last answer came', async () => {
  const { beat, pings, ping, pass } = setUp();
  void ping();
  pings[0]!.resolve(0);
  await pings[0]!.promise;
  let waited = 0;
  while (beat.isResponsive) {
    pass(FAST_BEAT);
    waited += FAST_BEAT;
    if (beat.isResponsive) void ping();
  }
  expect(waited).toBeLessThanOrEqual(1000 + FAST_BEAT);
  expect(FAST_BEAT + SILENCE).toBeLessThan(1000);
});

it('takes a tab back when it answers, also to a later ping only', async () => {
  const { beat, pings, ping, pass } = setUp();
  const first = ping();
  pass(100);
  const second = ping();
  pass(SILENCE);
  expect(beat.isResponsive).toBe(false);
  pings[1]!.resolve(3);
  expect(await second).toBe(3);
  expect(beat.isResponsive).toBe(true);
  pings[0]!.resolve(0);
  await first;
  expect(beat.isResponsive).toBe(true);
});

it('stays silent while no ping is answered', async () => {
  const { beat, pings, ping, pass } = setUp();
  const lost = ping();
  pass(SILENCE);
  pings[0]!.reject(new Error('no answer'));
  await expect(lost).rejects.toThrow('no answer');
  expect(beat.isResponsive).toBe(false);
});
