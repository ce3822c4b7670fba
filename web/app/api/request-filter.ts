import type { LoggedRequest } from './logged-requests.ts';

/** Which requests the list shows. */
export type RequestStates = 'all' | 'failed' | 'running';

/** Whether the request got an error, or its response was cut off. */
export const hasFailed = ({ error, status }: LoggedRequest): boolean =>
  error !== undefined || (status !== undefined && status >= 400);

/** The requests of these states whose method, path, status or body contains every word of the text. */
export function filterRequests(
  requests: readonly LoggedRequest[],
  text: string,
  states: RequestStates,
): LoggedRequest[] {
  const words = text.toLowerCase().split(/\s+/);
  return requests.filter((request) => {
    if (states === 'failed' && !hasFailed(request)) return false;
    if (states === 'running' && request.finished) return false;
    const { method, path, status = '', body = '' } = request;
    const haystack = `${method} ${path} ${status} ${body}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

/** Parts of a time line, in percent of its length: before the request, until its head, and until its end. */
export interface TimeBar {
  before: number;
  waiting: number;
  answering: number;
}

/** The time line of each request, from the first begin to the last known end of all of them. */
export function timeBars(requests: readonly LoggedRequest[]): TimeBar[] {
  const start = Math.min(...requests.map(({ at }) => at));
  const end = Math.max(...requests.map(({ at, ms = 0 }) => at + ms));
  const percent = (ms: number) => (100 * ms) / Math.max(1, end - start);
  return requests.map(({ at, ms = 0, headMs = ms }) => ({
    before: percent(at - start),
    waiting: percent(headMs),
    answering: percent(ms - headMs),
  }));
}
