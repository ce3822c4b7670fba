import { expect, test } from 'vitest';
import {
  clientIdOf,
  clientLock,
  isNewerBuild,
  leaderLock,
  serverLock,
  serversInLocks,
  tabLock,
  tabsInLocks,
} from './lock-names.ts';

test('servers are sorted by epoch, newest first', () => {
  const held = [5, 30, 7].map((epoch) => serverLock('/', { schema: 1, epoch, page: `p${epoch}` }));
  expect(serversInLocks('/', held).map(({ page }) => page)).toEqual(['p30', 'p7', 'p5']);
});

test('a scope does not see locks of other scopes, even with a common prefix or separators in a name', () => {
  const server = { schema: 1, epoch: 5, page: 'p' };
  for (const other of ['/a/', '/a', '/a:server', '']) {
    expect(serversInLocks('/a/b/', [serverLock(other, server), leaderLock(other)])).toEqual([]);
  }
  expect(serversInLocks('/a:b/', [serverLock('/a:b/', server)])).toEqual([server]);
});

test('locks of other kinds and of other programs are ignored', () => {
  const held = [leaderLock('/'), 'server', 'tabd', tabLock('/', { schema: 1, build: 2, page: 'p' })];
  expect(serversInLocks('/', held)).toEqual([]);
  expect(tabsInLocks('/', held)).toEqual([{ schema: 1, build: 2, page: 'p' }]);
});

test('the lock of a page names its client id', () => {
  const held = [clientLock('/', 'p1', 'c1'), clientLock('/', 'p2', 'c2')];
  expect(clientIdOf('/', 'p2', held)).toBe('c2');
  expect(clientIdOf('/', 'p3', held)).toBeUndefined();
});

test('a higher schema is newer, and within a schema a later build date', () => {
  expect(isNewerBuild({ schema: 2, build: 1 }, { schema: 1, build: 9 })).toBe(true);
  expect(isNewerBuild({ schema: 1, build: 2 }, { schema: 1, build: 1 })).toBe(true);
  expect(isNewerBuild({ schema: 1, build: 1 }, { schema: 1, build: 1 })).toBe(false);
});
