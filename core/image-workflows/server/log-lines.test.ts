import { expect, it } from 'vitest';
import { TestClock } from '#test/support/host/test-clock.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { LogLines } from './log-lines.ts';

const clock = new TestClock(Date.UTC(2026, 0, 2, 3, 4, 5, 678));

it('records everything but debug messages, and passes all on', () => {
  const lines = new LogLines();
  const host = createTestHost({ clock });
  const { log } = lines.listenTo(host);
  log.debug('quiet');
  log.info('plain');
  log.warn('with fields', { a: 1, b: [2] });
  log.error('loud', {});
  const t = '2026-01-02T03:04:05.678Z';
  expect(lines.entries).toEqual([
    { t, m: 'plain\n' },
    { t, m: 'with fields a=1 b=2\n' },
    { t, m: 'loud\n' },
  ]);
  expect(host.logged.map(({ level, message }) => `${level} ${message}`)).toEqual([
    ...['debug quiet', 'info plain', 'warn with fields', 'error loud'],
  ]);
});

it('leaves the rest of the host as it is', () => {
  const host = createTestHost({ clock });
  const listening = new LogLines().listenTo(host);
  expect([listening.clock, listening.files]).toEqual([host.clock, host.files]);
  host.log.info('not through the other log');
});

it('keeps the last 300 lines, and hands each to its listeners', () => {
  const lines = new LogLines();
  const heard: string[] = [];
  lines.subscribe(({ m }) => heard.push(m));
  const { log } = lines.listenTo(createTestHost({ clock }));
  for (let line = 0; line < 301; line++) log.info(String(line));
  expect([lines.entries.length, lines.entries[0]!.m, lines.entries.at(-1)!.m]).toEqual([300, '1\n', '300\n']);
  expect(heard).toHaveLength(301);
});
