import type { DiffusionNetwork } from './network.ts';

/** A value of type GLIGEN: a UNet with additional layers that take boxes. */
export interface GligenModel {
  readonly name: string;
  /** This UNet with the common weights of another network. Rejects when they do not fit. */
  networkFor(network: DiffusionNetwork, signal: AbortSignal): Promise<DiffusionNetwork>;
}
