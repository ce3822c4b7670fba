import type { RequestNote, TokenCounts } from '#relay';

type BegunNote = Extract<RequestNote, { note: 'begun' }>;

/** A request in the list of answered requests. */
export interface LoggedRequest extends Omit<BegunNote, 'note'> {
  body?: string;
  /** Whether `body` is only the beginning of the body. */
  cut?: boolean;
  status?: number;
  /** Milliseconds until the response head, and once it has finished, until its end. */
  ms?: number;
  /** Milliseconds until the response head. */
  headMs?: number;
  bytes?: number;
  tokens?: TokenCounts;
  error?: string;
  finished: boolean;
}

const MAX_REQUESTS = 200;

/** Applies a note to the list, newest request first. Ignores notes of requests that are not in the list. */
export function withRequestNote(requests: readonly LoggedRequest[], note: RequestNote): LoggedRequest[] {
  if (note.note === 'begun') {
    const { note: _, ...begun } = note;
    return [{ ...begun, finished: false }, ...requests].slice(0, MAX_REQUESTS);
  }
  return requests.map((request) =>
    request.id === note.id ? { ...request, ...fieldsOfNote(note) } : request,
  );
}

function fieldsOfNote(note: Exclude<RequestNote, BegunNote>): Partial<LoggedRequest> {
  switch (note.note) {
    case 'body':
      return { body: note.text, ...(note.cut && { cut: true }) };
    case 'answered':
      return { status: note.status, ms: note.ms, headMs: note.ms };
    case 'ended':
      return {
        ms: note.ms,
        bytes: note.bytes,
        finished: true,
        ...(note.tokens && { tokens: note.tokens }),
        ...(note.error && { error: note.error }),
      };
  }
}
