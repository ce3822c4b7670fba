/** MCP over HTTP: the streamable transport, and the older one with a stream of its own. */
import { errorMessage } from '#core/base';
import { jsonResponse, parsePlainJson } from '#core/http';
import { answerMessage, type McpMessage, type McpTools, readMessage } from './protocol.ts';
import type { McpSession, McpSessions } from './sessions.ts';

const SESSION = 'mcp-session-id';
/** Bytes of a message. */
const MAX_MESSAGE = 16 * 1024 * 1024;
const MAX_DEPTH = 500;

/** Bytes of an id that a client may choose, where sessions outlive the server. */
const MAX_SESSION_ID = 100;

/** The tools and sessions behind an address. */
export interface McpAddress {
  tools: McpTools;
  sessions: McpSessions;
  /** Whether ids of a former server are taken up: a server in a tab may start again at any time. */
  resumesSessions?: boolean;
}

/** Answers a request to the address of MCP tools. */
export async function answerMcp(request: Request, address: McpAddress): Promise<Response> {
  const { tools, sessions } = address;
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
  const older = searchParams.has('sessionId') ? sessions.find(id, pathname) : undefined;
  if (older?.send) return answerOnStream(body, tools, older, older.send);
  return answerStreamable(request, body, { address, id, pathname });
}

interface Streamable {
  address: McpAddress;
  id: string | null;
  pathname: string;
}

function answerStreamable(request: Request, body: unknown, { address, id, pathname }: Streamable): Response {
  const { tools, sessions, resumesSessions } = address;
  const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
  const begins = messages.some((message) => message?.method === 'initialize');
  if (id !== null && !sessions.find(id, pathname)) {
    if (!resumesSessions || id.length > MAX_SESSION_ID) return sessionNotFound();
    sessions.open({ path: pathname }, id);
  }
  const accept = request.headers.get('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    return refusal(406, 'Not Acceptable: Client must accept both application/json and text/event-stream');
  }
  if (id === null && !begins) return refusal(400, 'Bad Request: Server not initialized');
  if (messages.some((message) => !message))
    return refusal(400, 'Parse error: Invalid JSON-RPC message', -32700);
  const session = id ?? sessions.open({ path: pathname });
  const running = sessions.find(session, pathname)!.running;
  const valid = messages as McpMessage[];
  for (const message of valid) cancelMessage(message, running);
  if (valid.every((message) => message.id === undefined)) {
    return new Response(null, { status: 202, headers: { 'content-type': 'text/plain; charset=UTF-8' } });
  }
  return new Response(answerStream(valid, tools, running, request.signal), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', [SESSION]: session },
  });
}

/** The answers as server-sent events. A client that leaves ends the calls. */
function answerStream(
  messages: McpMessage[],
  tools: McpTools,
  running: McpSession['running'],
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const left = new AbortController();
  return new ReadableStream({
    async start(controller) {
      const notify = (message: object) => {
        if (left.signal.aborted) return;
        controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      };
      const clients = AbortSignal.any([signal, left.signal]);
      await answerAll(messages, { tools, running, signal: clients, notify });
      if (!left.signal.aborted) controller.close();
    },
    cancel: () => left.abort(),
  });
}

interface Answering {
  tools: McpTools;
  running: McpSession['running'];
  signal: AbortSignal;
  notify(message: object): void;
}

/** Answers messages one after the other. A message that its client cancelled gets no answer. */
async function answerAll(
  messages: McpMessage[],
  { tools, running, signal, notify }: Answering,
): Promise<void> {
  for (const message of messages) {
    const own = new AbortController();
    const key = String(message.id);
    if (message.id !== undefined) running.set(key, own);
    try {
      const exchange = { signal: AbortSignal.any([signal, own.signal]), notify };
      const answer = await answerMessage(message, tools, exchange);
      if (answer && !exchange.signal.aborted) notify(answer);
    } catch (error) {
      if (signal.aborted || own.signal.aborted) continue;
      const failure = { code: -32603, message: errorMessage(error) };
      notify({ jsonrpc: '2.0', id: message.id, error: failure });
    } finally {
      if (running.get(key) === own) running.delete(key);
    }
  }
}

function cancelMessage({ method, params }: McpMessage, running: McpSession['running']): void {
  if (method === 'notifications/cancelled') running.get(String(params.requestId))?.abort();
}

/** The older transport: answers go to the stream that the client has opened. */
async function answerOnStream(
  body: unknown,
  tools: McpTools,
  { running }: McpSession,
  send: (event: string, data: string) => void,
): Promise<Response> {
  const message = readMessage(body);
  if (message) {
    cancelMessage(message, running);
    const notify = (answer: object) => send('message', JSON.stringify(answer));
    await answerAll([message], { tools, running, signal: new AbortController().signal, notify });
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
