/** Reads recordings of the real systems, in their three file formats, as calls and expected answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Call, joinHeaders, type RealSystem } from './exchange.ts';

export interface Recording {
  name: string;
  call: Call;
  answer: Answer;
  /** The time of the answer (its Date header), which lets replays keep the order of recording. */
  at: number;
  /**
   * The time in milliseconds at which the prompt ran, if a recorded history states it. The request for the history
   * follows directly.
   */
  ranAt?: number;
  /** The workflow that a recording of webhooks publishes first. */
  workflow?: unknown;
}

interface RecordedFile {
  name: string;
  request?: {
    method: string;
    path?: string;
    url?: string;
    headers?: Record<string, string>;
    body?: unknown;
    bodyBase64?: string;
  };
  response?: {
    status: number;
    headers: [string, string][];
    body?: unknown;
    bodyEncoding?: string;
    httpChunks?: number[];
  };
  workflow?: unknown;
}

/** Recordings of a request and its answer. Other files, such as transcripts and tables, are counted separately. */
export function loadRecordings(
  folder: string,
  api: RealSystem,
): { recordings: Recording[]; others: string[] } {
  const recordings: Recording[] = [];
  const others: string[] = [];
  for (const file of readdirSync(join(folder, api)).sort()) {
    if (!file.endsWith('.json')) continue;
    const recorded = readJson(join(folder, api, file));
    const { request, response } = recorded ?? {};
    if (
      !recorded ||
      !request?.method ||
      typeof response?.status !== 'number' ||
      !Array.isArray(response.headers)
    ) {
      others.push(file);
      continue;
    }
    const headers = joinHeaders(response.headers);
    recordings.push({
      name: recorded.name,
      call: toCall(request),
      answer: { status: response.status, headers, body: jsonText(response.body, headers) },
      at: Date.parse(headers.date ?? '') || 0,
      ...(recorded.workflow !== undefined && recorded.workflow !== null && { workflow: recorded.workflow }),
    });
  }
  return {
    recordings: recordings.map((recording) => ({ ...recording, ...ranAt(recording, recordings) })),
    others,
  };
}

function ranAt({ name }: Recording, all: readonly Recording[]): Pick<Recording, 'ranAt'> {
  const isHistory = name.endsWith('.history');
  const history = isHistory ? name : `${name}.history`;
  const body = all.find((recording) => recording.name === history)?.answer.body;
  const started = /"execution_start",\{[^}]*"timestamp":(\d+)/.exec(body ?? '')?.[1];
  return started ? { ranAt: Number(started) + (isHistory ? 0.5 : 0) } : {};
}

/** Tables of numbers contain NaN, which is not valid JSON. */
function readJson(path: string): RecordedFile | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RecordedFile;
  } catch {
    return undefined;
  }
}

function toCall(request: NonNullable<RecordedFile['request']>): Call {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    const key = name.toLowerCase();
    if (key === 'content-length' || key === 'connection') continue;
    // A Host header with the recorded server's address is left to the transport, unless the Origin has the same host.
    const named = headerOf(request.headers, 'origin') === `http://${value}`;
    if (key === 'host' && /^127\.0\.0\.1:\d+$/.test(value) && !named) continue;
    headers[key] = value;
  }
  // A character for each byte.
  const raw = (request.body as { __raw__?: string } | null | undefined)?.__raw__;
  if (raw !== undefined)
    return {
      method: request.method,
      path: request.path ?? new URL(request.url!).pathname,
      headers,
      body: new Uint8Array(Buffer.from(raw, 'latin1')),
    };
  const base64 = request.bodyBase64 ?? (request.body as { base64?: string } | null | undefined)?.base64;
  const body =
    base64 !== undefined
      ? Buffer.from(base64, 'base64')
      : request.body === null || request.body === undefined
        ? undefined
        : asText(request.body);
  if (typeof body === 'string' && typeof request.body === 'object' && !headers['content-type']) {
    headers['content-type'] = 'application/json';
  }
  return {
    method: request.method,
    path: request.path ?? request.url ?? '/',
    headers,
    ...(body !== undefined && { body }),
  };
}

/** A string that was sent as JSON is recorded without its quotes. Its length shows that. */
function jsonText(body: unknown, headers: Record<string, string>): string {
  const quoted = JSON.stringify(body);
  const isJson = /json/.test(headers['content-type'] ?? '') && typeof body === 'string';
  return isJson && Number(headers['content-length']) === Buffer.byteLength(quoted) ? quoted : asText(body);
}

function asText(body: unknown): string {
  if (body === null || body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function headerOf(headers: Record<string, string> = {}, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
