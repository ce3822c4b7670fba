import { pack, unpack } from '../../bytes-in-json.ts';
import { bufferOf } from './buffer.ts';

/** Asks the server for what the sandbox cannot do itself. */
export interface Bridge {
  /** A call of a method of the server, with packed arguments: the answer comes by `answerCall`. */
  call(id: number, method: string, args: string, ...parts: ArrayBuffer[]): void;
  timer(id: number, milliseconds: number): void;
  clearTimer(id: number): void;
  console(line: string): void;
}

export let bridge: Bridge;

export function setBridge(given: Bridge): void {
  bridge = given;
}

const calls = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
let lastCall = 0;

export function callServer(method: string, ...args: unknown[]): Promise<unknown> {
  const id = ++lastCall;
  return new Promise((resolve, reject) => {
    calls.set(id, { resolve, reject });
    const { text, parts } = pack(args);
    bridge.call(id, method, text, ...parts.map(bufferOf));
  });
}

export function answerCall(id: number, ok: boolean, text: string, parts: ArrayBuffer[]): void {
  const call = calls.get(id);
  calls.delete(id);
  const value = unpack(text, parts);
  if (ok) call?.resolve(value);
  else call?.reject(new Error((value as { message: string }).message));
}
