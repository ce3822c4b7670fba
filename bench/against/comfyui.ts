/** Prompts without work for a model, on tabd and on a ComfyUI: what the server itself costs. */
import type { Figure } from '../figure.ts';
import { ImageClient, trivialPrompt } from '../image-client.ts';
import { startOwnSide } from '../sides/own-side.ts';
import type { Side } from '../sides/side.ts';
import { interleaved, median } from '../statistics.ts';
import { comparison } from './comparison.ts';

const PAIRS = 5;
/** Prompts of a burst, and single ones for a latency. */
const BURST = 300;
const SINGLE = 60;
const OBJECT_INFO = 10;

export default async function* againstComfyui(peer: Side): AsyncIterable<Figure> {
  const own = await startOwnSide('image-workflows', peer.signal);
  const clients: ImageClient[] = [];
  try {
    for (const side of [own, peer]) clients.push(await ImageClient.connect(side));
    const [ownClient, peerClient] = clients as [ImageClient, ImageClient];
    // Warm-up, until frequent code is compiled.
    for (const client of clients) await client.burst(BURST);
    const measure = (work: (client: ImageClient) => Promise<number>) =>
      interleaved(
        PAIRS,
        () => work(ownClient),
        () => work(peerClient),
      );
    const bursts = await measure((client) => client.burst(BURST));
    yield* comparison(peer.name, {
      what: 'trivial prompts/s',
      own: bursts.a,
      peer: bursts.b,
      ownAim: '>= 500',
      aim: '>= 1',
    });
    const single = await measure(async (client) => median(await client.latencies(SINGLE, trivialPrompt)));
    yield* comparison(peer.name, {
      what: 'ms from POST to done',
      own: single.a,
      peer: single.b,
      ownAim: '<= 3',
      aim: '<= 1',
    });
    const objectInfo = await measure(async (client) => {
      const all: number[] = [];
      for (let i = 0; i < OBJECT_INFO; i++) all.push(await client.objectInfo());
      return median(all);
    });
    yield* comparison(peer.name, { what: 'ms of /object_info', own: objectInfo.a, peer: objectInfo.b });
  } finally {
    for (const client of clients) client.close();
    await own.stop();
  }
}
