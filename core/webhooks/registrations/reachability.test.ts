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

it('knows itself, other servers of its kind, other programs and closed ports apart', async () => {
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

it('answers nobody who does not know it', async () => {
  const { url } = await openPort();
  for (const search of ['', '?server=', '?server=x']) {
    expect((await fetch(`${url}/tabd-reachable${search}`)).status).toBe(404);
  }
});

it('does not wait for ever, and not at all once nobody wants to know', async () => {
  const host = createTestHost({
    fetch: (request) =>
      new Promise((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      }),
  });
  const silent = new Reachability(host.network, host.clock, () => 'http://silent.example', 'webhook');
  const asked = silent.check(new AbortController().signal);
  host.time!.advance(3000);
  expect(await asked).toEqual({
    reachable: false,
    why: 'nothing answers at http://silent.example: no answer within 3 s',
  });
  const left = new AbortController();
  const other = silent.check(left.signal);
  left.abort(new Error('left'));
  await expect(other).rejects.toThrow('left');
});
