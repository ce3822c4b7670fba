import { expect, it } from 'vitest';
import { webhookAddress } from './webhook-address.ts';

it('is the port that the server of the page reports', async () => {
  expect(await webhookAddress(async () => ({ webhooks: 'http://localhost:35678' }))).toBe(
    'http://localhost:35678',
  );
});

it('is unknown without such a server, or when it does not answer', async () => {
  expect(await webhookAddress(async () => undefined)).toBeUndefined();
  expect(await webhookAddress(() => new Promise(() => {}), 5)).toBeUndefined();
});
