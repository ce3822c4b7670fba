/** MCP over HTTP: the streamable transport, and the older one with a stream of its own. */
import { jsonResponse, parsePlainJson } from '#core/http';
import { answerMessage, type McpMessage, type McpTools, readMessage } from './protocol.ts';
import type { McpSessions } from './sessions.ts';

const SESSION = 'mcp-session-id';
/** Bytes of a message. */
const MAX_MESSAGE = 16 * 1024 * 1024;
const MAX_DEPTH = 500;

/** Answers a request to the address of MCP tools. */
export async function answerMcp(request: Request, tools: McpTools, sessions: McpSessions): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const id = request.headers.get(SESSION) ?? searchParams.get('sessionId');
  if (request.method === 'GET') return id === null ? openStream(pathname, sessions) : noStream();
  if (request.method === 'DELETE') return endSession(id, pathname, sessions);
  if (request.method !== 'POST') return noStream();
  const text = await request.text();
  if (text.length > MAX_MESSAGE) return jsonResponse({ code: 413, message: 'request entity too large' }, 413);
  let body: unknown;
  try {
    body = await parsePlainJson(text, MAX_DEPTH, request.signal);
  } catch (error) {
    const hint = (error as Error).message;
    return jsonResponse({ code: 422, message: 'Failed to parse request body', hint }, 422);
  }
  const older = searchParams.has('sessionId') ? sessions.find(id, pathname)?.send : undefined;
  if (older) return answerOnStream(body, tools, older);
  return answerStreamable(request, body, { tools, sessions, id, pathname });
}

interface Streamable {
  tools: McpTools;
  sessions: McpSessions;
  id: string | null;
  pathname: string;
}

async function answerStreamable(
  request: Request,
  body: unknown,
  { tools, sessions, id, pathname }: Streamable,
): Promise<Response> {
  const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
  const begins = messages.some((message) => message?.method === 'initialize');
  if (id !== null && !sessions.find(id, pathname)) return sessionNotFound();
  const accept = request.headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return refusal(406, 'Not Acceptable: Client must accept both application/json and text/event-stream');
  }
  if (id === null && !begins) return refusal(400, 'Bad Request: Server not initialized');
  if (messages.some((message) => !message))
    return refusal(400, 'Parse error: Invalid JSON-RPC message', -32700);
  const session = id ?? sessions.open({ path: pathname });
  const answers: string[] = [];
  for (const message of messages as McpMessage[]) {
    const answer = await answerMessage(message, tools);
    if (answer) answers.push(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  }
  if (answers.length === 0) {
    return new Response(null, { status: 202, headers: { 'content-type': 'text/plain; charset=UTF-8' } });
  }
  return new Response(answers.join(''), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', [SESSION]: session },
  });
}

/** The older transport: answers go to the stream that the client has opened. */
async function answerOnStream(
  body: unknown,
  tools: McpTools,
  send: (event: string, data: string) => void,
): Promise<Response> {
  const message = readMessage(body);
  if (message) {
    const answer = await answerMessage(message, tools);
    if (answer) send('message', JSON.stringify(answer));
  }
  return new Response('Accepted', { status: 202 });
}

function openStream(path: string, sessions: McpSessions): Response {
  let id = '';
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const send = (event: string, data: string) =>
        controller.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`));
      id = sessions.open({ path, send });
      send('endpoint', `${path}?sessionId=${id}`);
    },
    cancel: () => sessions.close(id),
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' },
  });
}

/** A session of the streamable transport has no messages of the server. */
function noStream(): Response {
  return new Response(null, { status: 405, headers: { allow: 'GET, POST, DELETE' } });
}

function endSession(id: string | null, path: string, sessions: McpSessions): Response {
  if (!sessions.find(id, path)) return sessionNotFound();
  sessions.close(id!);
  return new Response(null, { headers: { 'content-type': 'text/plain; charset=UTF-8' } });
}

function sessionNotFound(): Response {
  return new Response('Session not found', {
    status: 404,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
}

function refusal(status: number, message: string, code = -32000): Response {
  return new Response(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), {
    status,
    headers: { 'content-type': 'application/json' },
  });
}
