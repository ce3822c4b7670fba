/**
 * What a page of another origin and a page that shares tabd say to each other before frames flow. The guest posts
 * `GuestHello` with a port to the host's window, again and again until the port says `asking`; the answer on that port
 * decides, and from `granted` on it carries frames (`core/frames/grammar.ts`).
 */
import type { ApiName } from '#core/http';

export const PROTOCOL = 1;

/** What a page of another origin may do. */
export interface Permission {
  apis: readonly ApiName[];
  /** Also what changes this installation: models, workflows, queue. */
  manage: boolean;
}

export interface GuestHello extends Permission {
  tabd: 'connect';
  protocol: number;
}

export type HostAnswer =
  | { tabd: 'asking' }
  /** `base`: the address that stands before the APIs' own paths. */
  | ({ tabd: 'granted'; base: string } & Permission)
  | { tabd: 'refused'; message: string };
