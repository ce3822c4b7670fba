/**
 * `npm run bench [NAME ...]` measures the project's claims. It prints one line of JSON for each figure,
 * `{"name","value","aim","pass"}`. Needs `npm run build`. The exit code is 1 when an aim was missed.
 */
import type { Figure } from './figure.ts';
import { printFigure } from './figure.ts';

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
  bodies: () => import('./figures/bodies.ts'),
  overload: () => import('./figures/overload.ts'),
  webhooks: () => import('./figures/webhooks.ts'),
  sizes: () => import('./figures/sizes.ts'),
  install: () => import('./figures/install.ts'),
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
let failed = false;
for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
  try {
    const bench = await BENCHES[name]!();
    for await (const figure of bench.default()) if (!printFigure(figure)) failed = true;
  } catch (error) {
    console.error(`${name}: ${(error as Error).stack}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
