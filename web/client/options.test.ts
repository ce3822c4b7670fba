import { describe, expect, test } from 'vitest';
import { checkOptions } from './options.ts';
import type { StartOptions } from './types.ts';

const wrong: [string, unknown, string][] = [
  ['an unknown API', { apis: ['local-models', 'everything'] }, "'everything' is none of"],
  ['no API', { apis: [] }, 'an array of'],
  ['APIs that are no array', { apis: 'webhooks' }, 'an array of'],
  ['a prefix without a slash', { prefix: 'ai' }, "'ai' is no path"],
  ['a prefix that ends with a slash', { prefix: '/ai/' }, "'/ai/' is no path"],
  ['an unknown reach', { reach: 'everything' }, 'neither listed nor whole'],
  ['an address that is no origin', { intercept: ['http://localhost:11434/api'] }, 'is no origin'],
  ['a port of no API', { intercept: ['http://localhost:3000'] }, 'is no origin at port'],
  [
    'an origin whose API is disabled',
    { apis: ['webhooks'], intercept: ['http://localhost:8188'] },
    "needs 'image-workflows'",
  ],
  ['models without their API', { apis: ['webhooks'], models: ['smollm2:135m'] }, "only with 'local-models'"],
];

describe('rejects invalid options', () => {
  test.each(wrong)('%s', (_, options, message) => {
    expect(() => checkOptions(options as StartOptions)).toThrow(
      expect.objectContaining({
        name: 'StartError',
        code: 'invalid-options',
        message: expect.stringContaining(message),
      }),
    );
  });
});

test('returns valid options', () => {
  const options: StartOptions = {
    apis: ['local-models', 'webhooks'],
    prefix: '/ai/local',
    intercept: ['http://localhost:11434', 'http://127.0.0.1:5678'],
    models: ['smollm2:135m'],
  };
  expect(checkOptions(options)).toBe(options);
  expect(checkOptions({ intercept: true })).toEqual({ intercept: true });
});
