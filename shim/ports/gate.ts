import type { CallContext } from '#core/http';

/**
 * Stands before an API on its port: a refusal, or lets a request by; what it returns then is called when the answer was
 * written or given up, with its status (101: a socket was opened; 499: the client left before).
 */
export type Gate = (
  request: Request,
  context: CallContext,
) => Response | ((status: number) => void) | undefined;
