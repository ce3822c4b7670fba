/** Compares tabd with real systems. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import type { PeerAddress, PeerKind } from '../arguments.ts';
import type { Figure } from '../figure.ts';
import { identify } from '../sides/identify.ts';
import type { Side } from '../sides/side.ts';

const COMPARISONS: Record<PeerKind, () => Promise<{ default(peer: Side): AsyncIterable<Figure> }>> = {
  ollama: () => import('./ollama.ts'),
  comfyui: () => import('./comfyui.ts'),
  n8n: () => import('./n8n.ts'),
};

/** The real system at an address. */
export const peerSide = (
  { kind, origin }: PeerAddress,
  n8nKey: string | undefined,
  signal: AbortSignal,
): Side => ({
  name: kind,
  origin,
  headers: kind === 'n8n' && n8nKey !== undefined ? { 'x-n8n-api-key': n8nKey } : {},
  signal,
});

/** Checks the peer, then measures both. @throws SideError when the peer is not what was said, or ends. */
export async function* compareWith(kind: PeerKind, peer: Side): AsyncIterable<Figure> {
  console.error(`${await identify(kind, peer)} at ${peer.origin}`);
  yield { name: `against ${kind}: cores of ${cpus()[0]?.model.trim()}`, value: availableParallelism() };
  // Above its number of cores, a machine is busy with other work.
  yield { name: `against ${kind}: load of the machine before the run`, value: loadavg()[0]! };
  yield* (await COMPARISONS[kind]()).default(peer);
}
