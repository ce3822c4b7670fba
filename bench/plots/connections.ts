/** Webhooks a second against the number of connections: tabd, a bare server, and an n8n where one is given. */
import { openOwnWebhooks, openPeerWebhooks, type WebhookLoad } from '../against/webhook-load.ts';
import { startBareServer } from '../bare-server.ts';
import { loadHttp } from '../http-load.ts';
import type { Side } from '../sides/side.ts';
import { median } from '../statistics.ts';
import { WEBHOOK_BODY, WEBHOOK_MODES } from '../webhook-modes.ts';
import type { Series } from './line-chart.ts';

const CONNECTIONS = [1, 2, 5, 10, 20, 50, 100];
const ROUNDS = 2;
const WARM_UP = 3;
const SECONDS = 2;
const SHORT_NAMES: Record<string, string> = {
  'at-once': 'immediately',
  'last-node': 'last node',
  'by-node': 'respond node',
  code: 'with Code',
};

type Run = (connections: number, seconds: number) => Promise<number>;

export async function measureConnections(peer: Side | undefined, signal: AbortSignal): Promise<Series[]> {
  const run = crypto.randomUUID().slice(0, 8);
  const bare = await startBareServer();
  const closing: (() => Promise<void>)[] = [];
  try {
    const own = await openOwnWebhooks(signal, run);
    closing.push(own.close);
    const of = (name: string, load: WebhookLoad, dashed: boolean) =>
      WEBHOOK_MODES.map((mode) => ({
        name: `${name}, ${SHORT_NAMES[mode.id]}`,
        dashed,
        run: (async (...how) => (await load(mode, ...how)).rate) as Run,
      }));
    const runners = of('tabd', own.load, false);
    if (peer) {
      const opened = await openPeerWebhooks(peer, run);
      closing.push(opened.close);
      runners.push(...of(peer.name, opened.load, true));
    }
    const reference = { name: 'a bare node:http server', dashed: true, run: bareRun(bare.port, signal) };
    const all = [...runners, reference];
    for (const { run } of all) await run(10, WARM_UP);
    const measured = new Map(all.map(({ name }) => [name, new Map<number, number[]>()]));
    for (let round = 0; round < ROUNDS; round++)
      for (const connections of CONNECTIONS)
        for (const { name, run } of round % 2 === 0 ? all : all.toReversed()) {
          const rates = measured.get(name)!;
          rates.set(connections, [...(rates.get(connections) ?? []), await run(connections, SECONDS)]);
        }
    return all.map(({ name, dashed }) => ({
      name,
      dashed,
      points: [...measured.get(name)!].map(([at, rates]) => [at, median(rates)] as const),
    }));
  } finally {
    for (const close of closing.reverse()) await close();
    bare.stop();
  }
}

const bareRun =
  (port: number, signal: AbortSignal): Run =>
  async (connections, seconds) => {
    const result = await loadHttp({
      url: `http://127.0.0.1:${port}/`,
      method: 'POST',
      body: WEBHOOK_BODY,
      connections,
      how: { duration: seconds },
      signal,
    });
    return result.requests.total / result.duration;
  };
