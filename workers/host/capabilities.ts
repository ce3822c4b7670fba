import type { HostCapabilities } from '#core/host';

/**
 * The capabilities of a tab.
 * @param userAgent that of this browser, for requests to webhooks that do not contain it
 */
export function tabCapabilities(userAgent: string): HostCapabilities {
  return {
    servedBy: 'tab',
    ownsPorts: false,
    // A service worker fails a request that has no response head after 310 s.
    maxHeadDelay: 240_000,
    maxHeadDelayAfterStart: 1000,
    // A tab serves one user and has little memory.
    defaultParallel: 1,
    // The memory of WebAssembly is limited to 4 GiB.
    largestGraphWithoutGpu: 4e9,
    // That memory holds the engine's buffers as well.
    largestGguf: 3.6e9,
    usesWebGpu: true,
    enforcesCors: true,
    defaultUserAgent: userAgent,
  };
}
