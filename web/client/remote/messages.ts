/**
 * The messages between a page of another origin (guest) and the page that shares tabd (host). The guest posts
 * `GuestHello` with a port to the host's window, repeatedly until the port receives `asking`. After `granted` the port
 * carries frames (`core/frames/grammar.ts`).
 */
import type { ApiName } from '#core/http';

export const PROTOCOL = 1;

/**
 * The rights of a page of another origin.
 *
 * @example
 * ```ts
 * import type { Permission } from 'tabd/share';
 *
 * export const readOnly: Permission = { apis: ['local-models'], manage: false };
 * ```
 */
export interface Permission {
  apis: readonly ApiName[];
  /** Whether the page may change this installation: models, workflows, queue. */
  manage: boolean;
}

export interface GuestHello extends Permission {
  tabd: 'connect';
  protocol: number;
}

export type HostAnswer =
  | { tabd: 'asking' }
  /** `base` is the address that precedes the paths of the APIs. */
  | ({ tabd: 'granted'; base: string } & Permission)
  | { tabd: 'refused'; message: string };
