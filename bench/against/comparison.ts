/** Figures of the same work on tabd and on a real system. */
import type { Figure } from '../figure.ts';
import { median, pairedRatio } from '../statistics.ts';

export interface Comparison {
  /** Name of the measurement, with its unit. */
  what: string;
  /** Measurements of tabd and of the peer, in pairs. */
  own: number[];
  peer: number[];
  /** The aim of tabd's own figure. */
  ownAim?: string;
  /** The aim of the ratio. */
  aim?: string;
}

/** The figure of each side, and the ratio of tabd's to the peer's: the median over the pairs. */
export function* comparison(
  peerName: string,
  { what, own, peer, ownAim, aim }: Comparison,
): Iterable<Figure> {
  const name = `against ${peerName}: ${what}`;
  yield { name: `${name}, tabd`, value: median(own), ...(ownAim && { aim: ownAim }) };
  yield { name: `${name}, ${peerName}`, value: median(peer) };
  yield { name: `${name}, ratio`, value: pairedRatio(own, peer), ...(aim && { aim }) };
}
