import type { HeaderList, OutgoingRequest } from '#core/frames';
import type { CallContext } from '#core/http';

/** A request of a port on its way to the process that answers it. */
export type Call = OutgoingRequest & { signal: AbortSignal };

export function outgoing({ method, url, headers, signal, body }: Request, context: CallContext): Call {
  return { method, url, headers: headerList(headers), ...(body && { body: () => body }), signal, context };
}

export function headerList(headers: Headers): HeaderList {
  return [...headers];
}
