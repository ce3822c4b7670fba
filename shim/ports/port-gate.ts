import type { CallContext } from '#core/http';

/**
 * Checks each request to a port. It returns a response to refuse the request, or a function that is called at
 * the end of the exchange, with its status. 101: a WebSocket was opened. 499: the client disconnected before
 * the response. A gate that asks another server answers later.
 */
export type PortGate = (request: Request, context: CallContext) => GateAnswer | Promise<GateAnswer>;

type GateAnswer = Response | ((status: number) => void) | undefined;
