/** Messages between the core and a sandbox thread; all of them can be structured-cloned. */
import type { Script } from '../expressions/create-expressions.ts';
import type { CodeScript } from './code-script.ts';

export type ToThread =
  | { type: 'evaluate'; id: number; script: Script; limits: Limits }
  | { type: 'code'; id: number; script: CodeScript; limits: Limits }
  /** The answer to a `call`. */
  | { type: 'answer'; id: number; call: number; value?: unknown; error?: string }
  | { type: 'cancel'; id: number }
  /** Answered by `pong` as soon as nothing computes. */
  | { type: 'ping' };

export type FromThread =
  | { type: 'ready' }
  | { type: 'pong' }
  /** The thread cannot work at all. */
  | { type: 'unusable'; message: string }
  | { type: 'done'; id: number; value: unknown }
  | { type: 'failed'; id: number; failure: Failure }
  /** A function of the core is called: an HTTP request, a file. */
  | { type: 'call'; id: number; call: number; method: string; args: unknown[] }
  | { type: 'console'; id: number; line: string };

export interface Limits {
  /** Milliseconds of computing at a stretch. */
  time: number;
}

/** Why a script gave nothing. */
export interface Failure {
  kind: 'time' | 'memory' | 'thrown' | 'crashed';
  name?: string;
  message: string;
  description?: string;
  /** Line of the person's code, from 1. */
  line?: number;
  itemIndex?: number;
}
