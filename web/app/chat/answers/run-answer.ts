import type { ModelsClient } from '../../api-client.ts';
import type { Turn } from '../conversation.ts';
import { canContinue, continueAnswer } from './continue-answer.ts';
import { followAnswer } from './follow-answer.ts';

/** An answer to generate, and how its owner shows and stores it. */
export interface AnswerRun {
  turn: Turn;
  /** Resolves to the body of `/api/chat`, and to the turn with its sources. Called for each attempt. */
  prepare(turn: Turn, signal: AbortSignal): Promise<PreparedAnswer>;
  /** Whether the turn has the beginning of an interrupted answer. */
  isContinued: boolean;
  signal: AbortSignal;
  readonly api: Pick<ModelsClient, 'chat'>;
  device(): Promise<string>;
  show(turn: Turn): void;
  save(turn: Turn): Promise<void>;
}

/** An answer that can be requested. */
export interface PreparedAnswer {
  turn: Turn;
  /** The body of `/api/chat`. */
  request: Record<string, unknown>;
}

/** Milliseconds between two writes of a running answer. */
const SAVE_INTERVAL = 400;
/** Milliseconds between two renderings of a running answer. A fast model sends more often than a screen can show. */
const SHOW_INTERVAL = 33;
/** Milliseconds until a lost answer is continued, more with each attempt. The next tab becomes the server in that time. */
const CONTINUE_DELAY = 300;

/** An interrupted answer: the page or the server that generated it ended. */
export function asCutOff({ waiting, live, error, ...turn }: Turn): Turn {
  return { ...turn, state: 'cut' };
}

/** An answer that is continued. Its text is shown while the model loads again. */
function asRunning({ error, ...turn }: Turn): Turn {
  return { ...turn, state: 'running', waiting: 'loading', attempts: (turn.attempts ?? 0) + 1 };
}

/**
 * Generates an answer until it is complete, fails or is stopped. An answer whose server ends is continued by the next
 * server. Never rejects: the returned turn has the outcome in `state`.
 */
export async function runAnswer(run: AnswerRun): Promise<Turn> {
  const { signal } = run;
  let latest = run.turn;
  let saved = performance.now();
  let shown = Number.NEGATIVE_INFINITY;
  const show = (next: Turn) => {
    latest = next;
    const now = performance.now();
    if (now - shown >= SHOW_INTERVAL) {
      shown = now;
      run.show(next);
    }
    if (now - saved < SAVE_INTERVAL) return;
    saved = now;
    void run.save(next);
  };
  let left = false;
  const leaving = () => {
    left = true;
    void run.save(asCutOff(latest));
  };
  addEventListener('pagehide', leaving);
  try {
    for (let isContinued = run.isContinued; ; isContinued = true) {
      if (isContinued) show(asRunning(latest));
      const before = latest;
      const open = async () => {
        const { turn, request } = await run.prepare(before, signal);
        latest = turn;
        if (turn !== before) run.show(turn);
        return isContinued
          ? continueAnswer(run.api, request, turn, signal)
          : { turn, lines: run.api.chat(request, signal) };
      };
      latest = await followAnswer(before, open, show, signal, run.device);
      // The stream may fail shortly before `pagehide` is fired: this waits for that event.
      if (latest.state === 'cut' || latest.state === 'failed') await new Promise((done) => setTimeout(done));
      // The browser ends the stream of a page that closes. The server did not fail.
      if (left && latest.state === 'failed') latest = asCutOff(latest);
      if (left || latest.state !== 'cut') return latest;
      if (!canContinue(latest)) return { ...latest, state: 'failed' };
      await untilAborted(signal, CONTINUE_DELAY * (1 + (latest.attempts ?? 0)));
      if (signal.aborted) return { ...asCutOff(latest), state: 'stopped' };
    }
  } finally {
    removeEventListener('pagehide', leaving);
  }
}

/** Waits some milliseconds, or until the signal aborts. */
function untilAborted(signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
