import type { Frame } from '../grammar.ts';

/** The fields that a frame of each type must have, with their types. Optional fields are left out. */
const REQUIRED_FIELDS: Record<Frame['type'], Record<string, string>> = {
  hello: { version: 'number', oldest: 'number' },
  bye: { reason: 'string' },
  ping: { id: 'number' },
  pong: { id: 'number', running: 'number' },
  open: {
    id: 'number',
    method: 'string',
    url: 'string',
    headers: 'object',
    body: 'boolean',
    credit: 'number',
  },
  accept: { id: 'number', credit: 'number' },
  head: { id: 'number', status: 'number', statusText: 'string', headers: 'object', body: 'boolean' },
  chunk: { id: 'number', bytes: 'object' },
  blob: { id: 'number', blob: 'object' },
  credit: { id: 'number', bytes: 'number' },
  end: { id: 'number' },
  error: { id: 'number', message: 'string' },
  cancel: { id: 'number' },
  connect: { id: 'number', url: 'string', headers: 'object', protocols: 'object', credit: 'number' },
  connected: { id: 'number' },
  message: { id: 'number' },
  close: { id: 'number', code: 'number', reason: 'string' },
};

const REQUIRED_ENTRIES = new Map<unknown, [name: string, type: string][]>(
  Object.entries(REQUIRED_FIELDS).map(([type, fields]) => [type, Object.entries(fields)]),
);

/** Whether a message is a frame. Pages may post other messages to a port that they share. */
export function isFrame(value: unknown): value is Frame {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  const required = REQUIRED_ENTRIES.get(fields.type);
  if (!required?.every(([name, type]) => typeof fields[name] === type && fields[name] !== null)) return false;
  return fields.type !== 'message' || typeof fields.data === 'string' || ArrayBuffer.isView(fields.data);
}
