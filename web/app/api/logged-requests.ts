import type { RequestNote, TokenCounts } from '#relay';

type Begun = Extract<RequestNote, { note: 'begun' }>;

/** A request as the list shows it. */
export interface SeenRequest extends Omit<Begun, 'note'> {
  body?: string;
  /** The body went on. */
  cut?: boolean;
  status?: number;
  /** Milliseconds until the head, then until the end. */
  ms?: number;
  bytes?: number;
  tokens?: TokenCounts;
  error?: string;
  over: boolean;
}

const KEPT = 200;

/** The list with a note taken in, newest first. Notes of requests that began before anybody watched are left out. */
export function withNote(seen: readonly SeenRequest[], note: RequestNote): SeenRequest[] {
  if (note.note === 'begun') {
    const { note: _, ...begun } = note;
    return [{ ...begun, over: false }, ...seen].slice(0, KEPT);
  }
  return seen.map((one) => (one.id === note.id ? { ...one, ...told(note) } : one));
}

function told(note: Exclude<RequestNote, Begun>): Partial<SeenRequest> {
  switch (note.note) {
    case 'body':
      return { body: note.text, ...(note.cut && { cut: true }) };
    case 'answered':
      return { status: note.status, ms: note.ms };
    case 'ended':
      return {
        ms: note.ms,
        bytes: note.bytes,
        over: true,
        ...(note.tokens && { tokens: note.tokens }),
        ...(note.error && { error: note.error }),
      };
  }
}
