import type { ApiCaller } from '#core/api-client';
import { sleep } from '#core/base';
import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';

/** The services that all tools of `/mcp` use. */
export interface ToolServices {
  host: Host;
  localApis: LocalApis;
}

/** The caller of this server's APIs for one call of a tool. */
export function callerOf({ host, localApis }: ToolServices, signal: AbortSignal): ApiCaller {
  return { localApis, signal, sleep: (milliseconds) => sleep(host.clock, milliseconds, signal) };
}
