import { afterEach, expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { type WebhookPort, webhookPort } from '#test/support/webhooks/webhook-port.ts';
import { Reachability } from './reachability.ts';

const ports: WebhookPort[] = [];
afterEach(() => Promise.all(ports.splice(0).map((port) => port.close())));

async function openPort(): Promise<WebhookPort & { address: string }> {
  const port = await webhookPort({ fetch: (request) => fetch(request) });
  ports.push(port);
  return { ...port, address: new URL(port.url).origin };
}
const check = ({ webhooks }: WebhookPort, address: string, signal = new AbortController().signal) => {
  webhooks.engine.settings.publicAddress = address;
  return webhooks.reachability.check(signal);
};

it('distinguishes itself, other servers and closed ports', async () => {
  const [own, other] = [await openPort(), await openPort()];
  expect(await check(own, own.address)).toEqual({ reachable: true });
  expect(await check(own, other.address)).toEqual({
    reachable: false,
    why: `something else answers at ${other.address} (status 404)`,
  });
  await other.close();
  ports.pop();
  expect(await check(own, other.address)).toEqual({
    reachable: false,
    why: `nothing answers at ${other.address}: ECONNREFUSED`,
  });
});

it('does not respond without its secret', async () => {
  const { url } = await openPort();
  for (const search of ['', '?server=', '?server=x']) {
    expect((await fetch(`${url}/tabd-reachable${search}`)).status).toBe(404);
  }
});

it('ends after 3 seconds, or when it is cancelled', async () => {
  const host = createTestHost({
    fetch: (request) =>
      new Promise((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      }),
  });
  const silent = new Reachability(host.network, host.clock, () => 'http://silent.example', 'webhook');
  const check = silent.check(new AbortController().signal);
  host.time!.advance(3000);
  expect(await check).toEqual({
    reachable: false,
    why: 'nothing answers at http://silent.example: no answer within 3 s',
  });
  const controller = new AbortController();
  const other = silent.check(controller.signal);
  controller.abort(new Error('cancelled'));
  await expect(other).rejects.toThrow('cancelled');
});
