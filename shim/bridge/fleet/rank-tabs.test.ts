import { describe, expect, it } from 'vitest';
import { rankTabs, type TabState } from './rank-tabs.ts';

const MODEL = 'smollm2:135m';

interface NamedTab extends TabState {
  name: string;
}

function tab(name: string, changes: Partial<TabState> = {}): NamedTab {
  return {
    name,
    isHome: false,
    isResponsive: true,
    outstanding: 0,
    models: new Set([MODEL]),
    loaded: new Set([MODEL]),
    lastRequest: 0,
    ...changes,
  };
}
const order = (...tabs: NamedTab[]) => rankTabs(tabs, MODEL).map(({ name }) => name);

it('prefers the shortest queue', () => {
  expect(order(tab('a', { outstanding: 2 }), tab('b', { outstanding: 1 }), tab('c'))).toEqual([
    'c',
    'b',
    'a',
  ]);
});

it('prefers a loaded model, until its queue is longer than a load is worth', () => {
  const cold = { loaded: new Set<string>() };
  expect(order(tab('cold', cold), tab('warm', { outstanding: 1 }))[0]).toBe('warm');
  expect(order(tab('cold', cold), tab('warm', { outstanding: 3 }))[0]).toBe('cold');
});

it('leaves out tabs without the model, however busy the others are', () => {
  expect(
    order(tab('none', { models: new Set(), loaded: new Set() }), tab('busy', { outstanding: 50 })),
  ).toEqual(['busy']);
});

it('counts a low battery as work, unless it charges', () => {
  const low = { battery: { level: 0.1, charging: false } };
  expect(order(tab('low', low), tab('mains', { outstanding: 1 }))[0]).toBe('mains');
  expect(order(tab('low', low), tab('mains', { outstanding: 3 }))[0]).toBe('low');
  const charging = { battery: { level: 0.1, charging: true } };
  expect(order(tab('charging', charging), tab('mains', { outstanding: 1 }))[0]).toBe('charging');
});

it('uses silent tabs last, but uses them', () => {
  expect(order(tab('silent', { isResponsive: false }), tab('busy', { outstanding: 9 }))).toEqual([
    'busy',
    'silent',
  ]);
});

it('lets equal tabs take turns', () => {
  expect(order(tab('a', { lastRequest: 2 }), tab('b', { lastRequest: 1 }), tab('c'))).toEqual([
    'c',
    'b',
    'a',
  ]);
});

it('asks the home first for a model that no tab has, and for a request without a model', () => {
  const tabs = [tab('a'), tab('home', { isHome: true, outstanding: 9 })];
  for (const model of ['other:latest', undefined]) {
    expect(rankTabs(tabs, model).map(({ name }) => name)).toEqual(['home', 'a']);
  }
});

describe('30 chats at once', () => {
  it('spread over three tabs, of which one has the model in memory', () => {
    const tabs = [tab('a'), tab('b', { loaded: new Set() }), tab('c', { loaded: new Set() })];
    for (let number = 1; number <= 30; number++) {
      const [chosen] = rankTabs(tabs, MODEL);
      Object.assign(chosen!, {
        outstanding: chosen!.outstanding + 1,
        loaded: new Set([MODEL]),
        lastRequest: number,
      });
    }
    expect(tabs.map(({ outstanding }) => outstanding)).toEqual([10, 10, 10]);
  });
});
