/**
 * Streams of seven minutes over all transports, some with two minutes of silence. A service worker's event may last 310
 * s.
 */

import { bridged, type Shim, test } from '../bridge/shim-fixture.ts';
import { expect, type Streamed, stream } from '../support/fixtures.ts';

const SECONDS = 7 * 60;

test('streams of seven minutes end normally over every transport', async ({ shim }) => {
  test.setTimeout((SECONDS + 120) * 1000);
  const first = await bridged(shim);
  const second = await shim.tab();
  const every = `lines=${SECONDS}&interval=1000`;
  const silent = 'lines=3&interval=120000';
  const [long, short] = await Promise.all([
    Promise.all([
      stream(first, 'service worker', every),
      stream(first, 'direct port', every),
      stream(second, 'service worker', every),
      stream(second, 'direct port', every),
      fromPort(shim, every),
    ]),
    Promise.all([
      stream(second, 'service worker', silent),
      stream(second, 'direct port', silent),
      fromPort(shim, silent),
    ]),
  ]);
  for (const result of long) expect(result).toMatchObject({ n: SECONDS + 1, done: true, error: undefined });
  for (const result of short) expect(result).toMatchObject({ n: 4, done: true, error: undefined });
});

/** Requests the same stream over the port of the shim, which the tab answers. */
async function fromPort(shim: Shim, query: string): Promise<Partial<Streamed>> {
  const response = await fetch(`${shim.port('local-models')}/api/generate?${query}`, { method: 'POST' });
  const lines = (await response.text()).trim().split('\n');
  return { ...JSON.parse(lines.at(-1)!), error: undefined };
}
