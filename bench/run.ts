/**
 * `npm run bench [NAME ...]` measures the project's claims. It prints one line of JSON for each figure,
 * `{"name","value","aim","pass"}`. Needs `npm run build`. The exit code is 1 when an aim was missed.
 *
 * `--against ollama|comfyui|n8n=ADDRESS` measures the same work on tabd and on the real system at that address.
 * `--plots` draws the plots of docs/performance.md.
 */
import { compareWith, peerSide } from './against/run.ts';
import { ArgumentError, type BenchArguments, parseArguments } from './arguments.ts';
import type { Figure } from './figure.ts';
import { printFigure } from './figure.ts';
import { SideError } from './sides/side.ts';

const BENCHES: Record<string, () => Promise<{ default(): AsyncIterable<Figure> }>> = {
  'node-speed': () => import('./figures/node-speed.ts'),
  'browser-speed': () => import('./figures/browser-speed.ts'),
  'parallel-chats': () => import('./figures/parallel-chats.ts'),
  memory: () => import('./figures/memory.ts'),
  embeddings: () => import('./figures/embeddings.ts'),
  continued: () => import('./figures/continued.ts'),
  'image-workflows': () => import('./figures/image-workflows.ts'),
  emoji: () => import('./figures/emoji.ts'),
  'graph-editor': () => import('./figures/graph-editor.ts'),
  relay: () => import('./figures/relay.ts'),
  'hand-over': () => import('./figures/hand-over.ts'),
  bridge: () => import('./figures/bridge.ts'),
  shim: () => import('./figures/shim.ts'),
  'small-answers': () => import('./figures/small-answers.ts'),
  bodies: () => import('./figures/bodies.ts'),
  overload: () => import('./figures/overload.ts'),
  webhooks: () => import('./figures/webhooks.ts'),
  cluster: () => import('./figures/cluster.ts'),
  sizes: () => import('./figures/sizes.ts'),
  install: () => import('./figures/install.ts'),
};

const { names, against, n8nKey, plots } = readArguments();
const interrupt = new AbortController();
// Models and workflows on a real system are removed after an interrupt, too. A second one ends at once.
if (against.length > 0)
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => interrupt.abort(new Error(`ended by ${name}`)));

let failed = false;
if (plots) {
  const { drawPlots } = await import('./plots/run.ts');
  const peers = against.map((peer) => [peer.kind, peerSide(peer, n8nKey, interrupt.signal)] as const);
  await printFigures('plots', () => drawPlots(new Map(peers), interrupt.signal));
} else {
  for (const peer of against)
    await printFigures(`against ${peer.kind}`, () =>
      compareWith(peer.kind, peerSide(peer, n8nKey, interrupt.signal)),
    );
}
const all = against.length === 0 && !plots;
for (const name of names.length === 0 && all ? Object.keys(BENCHES) : names) {
  const bench = await BENCHES[name]!();
  await printFigures(name, () => bench.default());
}
process.exit(failed ? 1 : 0);

function readArguments(): BenchArguments {
  try {
    const parsed = parseArguments(process.argv.slice(2), process.env);
    const unknown = parsed.names.filter((name) => !Object.hasOwn(BENCHES, name));
    if (unknown.length === 0) return parsed;
    throw new ArgumentError(
      `unknown: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`,
      2,
    );
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    console.error(error.message);
    process.exit(error.exitCode);
  }
}

async function printFigures(what: string, figures: () => AsyncIterable<Figure>): Promise<void> {
  if (interrupt.signal.aborted) return;
  try {
    for await (const figure of figures()) if (!printFigure(figure)) failed = true;
  } catch (error) {
    const expected = error instanceof SideError || interrupt.signal.aborted;
    console.error(`${what}: ${expected ? (error as Error).message : (error as Error).stack}`);
    failed = true;
  }
}
