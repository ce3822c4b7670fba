/** `npm run bench -- --plots`: measures, and draws the plots of docs/performance.md. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { PeerKind } from '../arguments.ts';
import type { Figure } from '../figure.ts';
import { identify } from '../sides/identify.ts';
import type { Side } from '../sides/side.ts';
import { measureConnections } from './connections.ts';
import { measureContextLengths } from './context-length.ts';
import { type LineChart, lineChart, type Series } from './line-chart.ts';

const folder = new URL('../../docs/images/', import.meta.url);

/** Draws each plot, and yields its points as figures. Peers add lines. */
export async function* drawPlots(
  peers: ReadonlyMap<PeerKind, Side>,
  signal: AbortSignal,
): AsyncIterable<Figure> {
  for (const [kind, peer] of peers) console.error(`${await identify(kind, peer)} at ${peer.origin}`);
  let subtitle = describeMachine();
  yield* draw('performance-webhooks', {
    title: 'Webhooks a second',
    subtitle,
    x: { label: 'connections', scale: 'log' },
    y: { label: 'calls/s', scale: 'log' },
    series: await measureConnections(peers.get('n8n'), signal),
  });
  subtitle = describeMachine();
  const speeds = await measureContextLengths(peers.get('ollama'), signal);
  for (const what of ['answer', 'prompt'] as const)
    yield* draw(`performance-${what}s`, {
      title: `Tokens of ${what === 'answer' ? 'an answer' : 'a prompt'} a second, SmolLM2-135M Q4_1 on the CPU`,
      subtitle,
      x: { label: 'tokens of the prompt', scale: 'log' },
      y: { label: 'tokens/s', scale: 'linear' },
      series: speeds[what],
    });
}

async function* draw(name: string, chart: LineChart): AsyncIterable<Figure> {
  for (const series of chart.series) yield* pointsOf(chart, series);
  const file = new URL(`${name}.svg`, folder);
  await writeFile(file, lineChart(chart));
  console.error(`wrote ${fileURLToPath(file)}`);
}

function* pointsOf({ title, x, y }: LineChart, { name, points }: Series): Iterable<Figure> {
  for (const [at, value] of points)
    yield { name: `plot: ${title}: ${name}, ${y.label} at ${at} ${x.label}`, value };
}

/** Cores, Node, date and load: another program that computes makes figures worse. */
function describeMachine(): string {
  const cores = availableParallelism();
  const load = loadavg()[0]!;
  const busy = load > cores / 4 ? `, busy with other work (load ${load.toFixed(1)})` : '';
  const date = new Date().toISOString().slice(0, 10);
  return `${cores} cores of ${cpus()[0]?.model.trim()}, Node ${process.version}, ${date}${busy}`;
}
