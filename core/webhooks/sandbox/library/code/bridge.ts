import { packMessage, unpackMessage } from '../../packed-message.ts';
import { bufferOf } from './buffer.ts';

/** The functions of the thread by which code reaches the server. */
export interface SandboxBridge {
  /** Calls a method of the server with packed arguments. Its answer arrives at `settleCall`. */
  call(id: number, method: string, args: string, ...parts: ArrayBuffer[]): void;
  /** Starts a timer, which arrives at `fireTimer`. */
  timer(id: number, milliseconds: number): void;
  clearTimer(id: number): void;
  console(line: string): void;
}

export let bridge: SandboxBridge;

export function setBridge(functions: SandboxBridge): void {
  bridge = functions;
}

const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
let lastCall = 0;

/** Calls a method of the server. Rejects with an error that has the server's message. */
export function callServer(method: string, ...args: unknown[]): Promise<unknown> {
  const id = ++lastCall;
  return new Promise((resolve, reject) => {
    calls.set(id, { resolve, reject });
    const { text, parts } = packMessage(args);
    bridge.call(id, method, text, ...parts.map(bufferOf));
  });
}

/** Resolves a call with the packed value, or rejects it with the packed `{ message }`. */
export function settleCall(id: number, ok: boolean, text: string, parts: ArrayBuffer[]): void {
  const call = calls.get(id);
  calls.delete(id);
  const value = unpackMessage(text, parts);
  if (ok) call?.resolve(value);
  else call?.reject(new Error((value as { message: string }).message));
}
