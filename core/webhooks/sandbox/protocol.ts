/** Messages between the core and a sandbox thread. All of them can be structured-cloned. */
import type { ExpressionScript } from '../expressions/create-expressions.ts';
import type { CodeScript } from './code-script.ts';
import type { ScriptFailure } from './script-failure.ts';

export type ToThread =
  | { type: 'evaluate'; id: number; script: ExpressionScript; limits: ScriptLimits }
  | { type: 'code'; id: number; script: CodeScript; limits: ScriptLimits }
  /** The answer to a `call`: a value, or an error's message. */
  | { type: 'answer'; id: number; call: number; value?: unknown; error?: string }
  | { type: 'cancel'; id: number }
  /** Answered by `pong` as soon as no script computes. */
  | { type: 'ping' };

export type FromThread =
  | { type: 'ready' }
  | { type: 'pong' }
  /** The thread cannot start, or cannot continue. */
  | { type: 'unusable'; message: string }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: ScriptFailure }
  /** A script calls a function of the core: an HTTP request, a file. */
  | { type: 'call'; id: number; call: number; method: string; args: unknown[] }
  | { type: 'console'; id: number; line: string };

export interface ScriptLimits {
  /** Milliseconds of computing without a pause. */
  time: number;
}
