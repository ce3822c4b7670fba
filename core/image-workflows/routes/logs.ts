/** The server's log, for clients that show it. */
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { isPythonObject } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';

/** Clients expect the size of a terminal. */
const TERMINAL_SIZE = { cols: 80, rows: 24 };

export function showLogText({ lines }: ImageServer): Response {
  return pythonJsonResponse(lines.entries.map(({ t, m }) => `${t} - ${m}`).join(''));
}

export function listLogEntries({ lines }: ImageServer): Response {
  return pythonJsonResponse({ entries: lines.entries, size: TERMINAL_SIZE });
}

/** Starts or ends a client's subscription to new log lines. */
export async function subscribeToLog({ logSubscriptions }: ImageServer, call: RouteCall): Promise<Response> {
  const body = await readJsonBody(call);
  const clientId = isPythonObject(body) ? body.get('clientId') : undefined;
  if (!isPythonObject(body) || typeof clientId !== 'string')
    throw new ApiError(400, 'the body must be {"clientId": "...", "enabled": true}');
  logSubscriptions.set(clientId, body.get('enabled') === true);
  return emptyResponse(200);
}
