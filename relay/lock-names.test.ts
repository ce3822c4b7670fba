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

test('of several servers the one with the newest epoch comes first', () => {
  const held = [5, 30, 7].map((epoch) => serverLock('/', { schema: 1, epoch, page: `p${epoch}` }));
  expect(serversInLocks('/', held).map(({ page }) => page)).toEqual(['p30', 'p7', 'p5']);
});

test('scopes do not meet, even where one is the beginning of the other or holds separators', () => {
  const server = { schema: 1, epoch: 5, page: 'p' };
  for (const other of ['/a/', '/a', '/a:server', '']) {
    expect(serversInLocks('/a/b/', [serverLock(other, server), leaderLock(other)])).toEqual([]);
  }
  expect(serversInLocks('/a:b/', [serverLock('/a:b/', server)])).toEqual([server]);
});

test('other kinds of locks, and those of other programs, are none of ours', () => {
  const held = [leaderLock('/'), 'server', 'tabd', tabLock('/', { schema: 1, build: 2, page: 'p' })];
  expect(serversInLocks('/', held)).toEqual([]);
  expect(tabsInLocks('/', held)).toEqual([{ schema: 1, build: 2, page: 'p' }]);
});

test('the client of a page is found by the page', () => {
  const held = [clientLock('/', 'p1', 'c1'), clientLock('/', 'p2', 'c2')];
  expect(clientIdOf('/', 'p2', held)).toBe('c2');
  expect(clientIdOf('/', 'p3', held)).toBeUndefined();
});

test('the schema decides which build is newer, then its date', () => {
  expect(isNewerBuild({ schema: 2, build: 1 }, { schema: 1, build: 9 })).toBe(true);
  expect(isNewerBuild({ schema: 1, build: 2 }, { schema: 1, build: 1 })).toBe(true);
  expect(isNewerBuild({ schema: 1, build: 1 }, { schema: 1, build: 1 })).toBe(false);
});
