import type { HostCapabilities } from '#core/host';

/** What a tab can do. `userAgent` is this browser's own, which its pages' requests do not carry. */
export function tabCapabilities(userAgent: string): HostCapabilities {
  return {
    servedBy: 'tab',
    ownsPorts: false,
    // A service worker fails a request that has no response head after 310 s.
    headWithin: 240_000,
    headWithinOfStart: 1000,
    // A tab serves one person, and its memory is small.
    defaultParallel: 1,
    // WebAssembly's memory ends at 4 GiB.
    largestGraphWithoutGpu: 4e9,
    usesWebGpu: true,
    enforcesCors: true,
    defaultUserAgent: userAgent,
  };
}
