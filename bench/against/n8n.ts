/** Webhooks in each way to respond, on tabd and on an n8n. */
import type { Figure } from '../figure.ts';
import type { Side } from '../sides/side.ts';
import { interleaved } from '../statistics.ts';
import { WEBHOOK_MODES, type WebhookMode } from '../webhook-modes.ts';
import { comparison } from './comparison.ts';
import { openOwnWebhooks, openPeerWebhooks, type WebhookLoad } from './webhook-load.ts';

/** Many short pairs: on a busy machine two neighbors see the same load more often. */
const PAIRS = 7;
const WARM_UP = 3;
const SECONDS = 2;
const CONNECTIONS = 10;

export default async function* againstN8n(peer: Side): AsyncIterable<Figure> {
  const run = crypto.randomUUID().slice(0, 8);
  // First the peer: its key may not suffice.
  const theirs = await openPeerWebhooks(peer, run);
  try {
    const own = await openOwnWebhooks(peer.signal, run);
    try {
      for (const mode of WEBHOOK_MODES) yield* compareMode(mode, peer.name, own.load, theirs.load);
    } finally {
      await own.close();
    }
  } finally {
    await theirs.close();
  }
}

async function* compareMode(
  mode: WebhookMode,
  peerName: string,
  own: WebhookLoad,
  theirs: WebhookLoad,
): AsyncIterable<Figure> {
  for (const load of [own, theirs]) await load(mode, CONNECTIONS, WARM_UP);
  const run = (load: WebhookLoad) => () => load(mode, CONNECTIONS, SECONDS);
  const { a, b } = await interleaved(PAIRS, run(own), run(theirs));
  yield* comparison(peerName, {
    what: `webhooks/s, ${mode.what}`,
    own: a.map(({ rate }) => rate),
    peer: b.map(({ rate }) => rate),
    ownAim: mode.id === 'code' ? '>= 1000' : '>= 3000',
    aim: '>= 1',
  });
  yield* comparison(peerName, {
    what: `p99 ms of webhooks, ${mode.what}`,
    own: a.map(({ p99 }) => p99),
    peer: b.map(({ p99 }) => p99),
    ownAim: '<= 15',
    aim: '<= 1',
  });
}
