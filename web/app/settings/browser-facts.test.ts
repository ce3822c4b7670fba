import { expect, it } from 'vitest';
import { browserFacts } from './browser-facts.ts';

const browser = {
  id: 'a',
  name: 'Laptop',
  home: false,
  state: 'connected',
  requests: 0,
  loaded: [],
} as const;

it('says what is known', () => {
  expect(
    browserFacts({
      ...browser,
      requests: 1,
      device: 'Apple M3',
      cores: 8,
      memory: 8 * 2 ** 30,
      battery: { level: 0.805, charging: true },
      models: ['a', 'b'],
      loaded: ['a', 'b'],
    }),
  ).toEqual([
    '1 request',
    'Apple M3',
    '8 CPU threads',
    '8 GB',
    'battery 81 %, charging',
    '2 models',
    'loaded: a and b',
  ]);
});

it('says nothing that is not known, and nothing about a browser that is not open', () => {
  expect(browserFacts({ ...browser, loaded: [] })).toEqual([]);
  expect(browserFacts({ ...browser, state: 'away', device: 'CPU', loaded: ['a'] })).toEqual([]);
});
