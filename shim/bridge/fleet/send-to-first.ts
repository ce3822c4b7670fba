import { NotAccepted, type OutgoingRequest } from '#core/frames';
import type { TabConnection } from './tab-connection.ts';

/** Who answers may see it: the id of the tab. Sent only while several browsers are paired. */
export const TAB_HEADER = 'x-tabd-tab';

export interface SendOptions {
  /** The tabs that may answer, best first, as things stand. */
  rank(): TabConnection[];
  request: OutgoingRequest & { signal: AbortSignal };
  model?: string | undefined;
}

/**
 * Sends a request to the best tab. While no tab has accepted it, it moves on: when its tab is lost, and when its tab is
 * silent while another one reacts. An accepted request is never sent twice.
 * Rejects with the signal's reason, or with the last failure. Undefined: there is no tab.
 */
export async function sendToFirst({ rank, request, model }: SendOptions): Promise<Response | undefined> {
  const tried = new Set<TabConnection>();
  const untried = () => rank().filter((tab) => !tried.has(tab) && !tab.client.lossCause);
  let failure: unknown;
  for (let [tab] = untried(); tab; [tab] = untried()) {
    tried.add(tab);
    let isAccepted = false;
    const moved = new AbortController();
    const stopWatching = tab.whileSilent(() => {
      if (!isAccepted && untried().some(({ isResponsive }) => isResponsive)) {
        moved.abort(new NotAccepted('the tab does not react'));
      }
    });
    const onAccepted = () => {
      isAccepted = true;
      stopWatching();
    };
    try {
      const signal = AbortSignal.any([request.signal, moved.signal]);
      const response = await tab.fetch({ ...request, signal, onAccepted }, model);
      response.headers.set(TAB_HEADER, tab.id);
      return response;
    } catch (cause) {
      request.signal.throwIfAborted();
      if (isAccepted) throw cause;
      failure = cause;
    } finally {
      stopWatching();
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
