/** all-MiniLM in Node on the CPU: short texts a second, and the time of a single one. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNodeCore } from '#shim/cli/node-core.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import type { Figure } from '../figure.ts';

const never = new AbortController().signal;
const MANY = 256;
const SINGLE = 50;

export default async function* embeddings(): AsyncIterable<Figure> {
  const home = await mkdtemp(join(tmpdir(), 'tabd-bench-'));
  const core = await openNodeCore({ home, env: process.env });
  try {
    for await (const _line of core.registry.pull({ model: 'all-minilm', insecure: false }, never));
    const embed = (texts: string[]) =>
      core.text.embed({ model: 'all-minilm', texts, truncate: true, dimensions: 0, options: {} }, never);
    const text = (i: number) =>
      `Order number ${i} has been sent and will be with you within two working days.`;
    await embed([text(0)]);
    const start = performance.now();
    await embed(Array.from({ length: MANY }, (_, i) => text(i)));
    yield {
      name: 'embeddings: short texts/s, many at once',
      value: (1000 * MANY) / (performance.now() - start),
    };
    const times: number[] = [];
    for (let i = 0; i < SINGLE; i++) {
      const before = performance.now();
      await embed([text(i)]);
      times.push(performance.now() - before);
    }
    times.sort((a, b) => a - b);
    yield { name: 'embeddings: ms for one short text, median', value: times[SINGLE / 2]! };
  } finally {
    await core.close();
    await removeHome(home);
  }
}
