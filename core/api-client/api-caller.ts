import type { LocalApis } from '#core/http';

/** The caller of an API of this server. */
export interface ApiCaller {
  localApis: LocalApis;
  /** Ends the request, and the work behind it. */
  signal: AbortSignal;
  /** Resolves after some milliseconds, and rejects when the signal aborts. */
  sleep(milliseconds: number): Promise<void>;
}
