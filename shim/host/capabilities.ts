import type { HostCapabilities } from '#core/host';

/** What a Node process can do. */
export const nodeCapabilities: HostCapabilities = {
  servedBy: 'node',
  ownsPorts: true,
  headWithin: undefined,
  headWithinOfStart: undefined,
  defaultParallel: 0,
  largestGraphWithoutGpu: undefined,
  usesWebGpu: false,
  enforcesCors: false,
  defaultUserAgent: undefined,
};
