import type { ApiCaller } from '#core/api-client';
import { sleep } from '#core/base';
import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';

/** The services of routes that this server answers through its own APIs. */
export interface OwnApis {
  host: Host;
  localApis: LocalApis;
}

/** The caller of this server's APIs for one request. */
export function callerOf({ host, localApis }: OwnApis, signal: AbortSignal): ApiCaller {
  return { localApis, signal, sleep: (milliseconds) => sleep(host.clock, milliseconds, signal) };
}
