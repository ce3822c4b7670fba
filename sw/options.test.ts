import { expect, test } from 'vitest';
import { optionsOf, withOptions } from './options.ts';

const at = new URL('https://site/tabd/sw.js');

test('options come back out of the address of the service worker', () => {
  const options = { apis: ['local-models', 'webhooks'], prefix: '/ai', reach: 'whole' } as const;
  expect(optionsOf(withOptions(at, options).search)).toEqual(options);
});

test('without a query nothing is switched on', () => {
  expect(optionsOf('')).toEqual({ apis: [], prefix: '', reach: 'listed' });
});

test('unknown names switch nothing on', () => {
  expect(optionsOf('?apis=everything,webhooks&reach=all')).toEqual({
    apis: ['webhooks'],
    prefix: '',
    reach: 'listed',
  });
});
