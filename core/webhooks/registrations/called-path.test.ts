import { expect, it } from 'vitest';
import { DEFAULT_ENDPOINTS } from '../settings/endpoints.ts';
import { parseCalledPath } from './called-path.ts';

it.each([
  ['/webhook/orders', 'webhook', 'production', 'orders'],
  ['/webhook/a%20b/c%2Fd', 'webhook', 'production', 'a b/c/d'],
  ['/webhook/bad%zz', 'webhook', 'production', 'bad%zz'],
  ['/webhook/Orders/', 'webhook', 'production', 'Orders'],
  ['/webhook/orders//', 'webhook', 'production', 'orders/'],
  ['/webhook', 'webhook', 'production', ''],
  ['/WEBHOOK-Test/x', 'webhook', 'test', 'x'],
  ['/webhook-waiting/7/step', 'webhook', 'waiting', '7/step'],
  ['/form/x', 'form', 'production', 'x'],
  ['/form-test/x', 'form', 'test', 'x'],
  ['/form-waiting/7', 'form', 'waiting', '7'],
])('%s is %s, %s: "%s"', (pathname, kind, mode, path) => {
  expect(parseCalledPath(pathname, DEFAULT_ENDPOINTS)).toEqual({ kind, mode, path });
});

it.each(['/', '/webhooks/x', '/webhook-', '/api/webhook/x', '/forms', '//webhook/x'])(
  'not %s',
  (pathname) => {
    expect(parseCalledPath(pathname, DEFAULT_ENDPOINTS)).toBeUndefined();
  },
);
