import type { RequestNote, TokenCounts } from '#relay';

type BegunNote = Extract<RequestNote, { note: 'begun' }>;

/** A request as the list shows it. */
export interface LoggedRequest extends Omit<BegunNote, 'note'> {
  body?: string;
  /** The body went on. */
  cut?: boolean;
  status?: number;
  /** Milliseconds until the head, then until the end. */
  ms?: number;
  bytes?: number;
  tokens?: TokenCounts;
  error?: string;
  finished: boolean;
}

const MAX_REQUESTS = 200;

/** The list with a note taken in, newest first. Notes of requests that began before anybody watched are left out. */
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
      return { status: note.status, ms: note.ms };
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
