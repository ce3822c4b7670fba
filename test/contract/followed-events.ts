/** Reads server-sent events as they come. */
import type { FollowedEvents } from './exchange.ts';

const LIMIT = 10_000;

/** Resolves with the first event: no later event is missed. */
export async function collectEvents(
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<FollowedEvents> {
  const left = new AbortController();
  const response = await ask(left.signal);
  if (response.status !== 200) throw new Error(`no events: ${response.status} ${await response.text()}`);
  const received: unknown[] = [];
  let notify = () => {};
  void (async () => {
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks)
        if (block.startsWith('data: ')) received.push(JSON.parse(block.slice('data: '.length)));
      notify();
    }
  })().catch(() => undefined);
  const until: FollowedEvents['until'] = (enough, milliseconds) =>
    new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${received.length} events came within ${milliseconds} ms`));
      const timer = setTimeout(late, milliseconds);
      notify = () => {
        if (!enough()) return;
        clearTimeout(timer);
        resolve();
      };
      notify();
    });
  await until(() => received.length > 0, LIMIT);
  return { received, until, close: () => left.abort() };
}
