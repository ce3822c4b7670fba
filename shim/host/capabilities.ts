import type { HostCapabilities } from '#core/host';

/** The capabilities of a Node process. */
export const nodeCapabilities: HostCapabilities = {
  servedBy: 'node',
  ownsPorts: true,
  maxHeadDelay: undefined,
  maxHeadDelayAfterStart: undefined,
  defaultParallel: 0,
  largestGraphWithoutGpu: undefined,
  largestGguf: undefined,
  usesWebGpu: false,
  enforcesCors: false,
  defaultUserAgent: undefined,
};
