/**
 * One QuickJS in a WebAssembly memory of its own. Once its library is loaded, the memory is kept as a picture; putting
 * the picture back gives a realm as new as the first in half a millisecond, where making one takes fifty.
 */
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { tooMuchMemory } from '../memory-limits.ts';
import type { Failure, Limits } from '../protocol.ts';
import { hostFunctions } from './host-functions.ts';
import { NoRoom, needRoom, newBytes } from './values.ts';

/** Pages of 64 KiB. */
const INITIAL_PAGES = 256;
const STACK_BYTES = 512 * 1024;
/** What has been told to stop so often goes on all the same: an engine that obeys stops the first time. */
const MOST_INTERRUPTS = 10;

export class ScriptFailed extends Error {
  override name = 'ScriptFailed';
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export class Cell {
  #deadline = Number.POSITIVE_INFINITY;
  #limits: Limits | undefined;
  /** Since the limit for what runs was reached. */
  #interrupts = 0;
  #broken = false;
  #picture: Uint8Array<ArrayBuffer> | undefined;

  private constructor(
    private readonly memory: WebAssembly.Memory,
    readonly runtime: QuickJSRuntime,
    readonly context: QuickJSContext,
    /** What the library gave. */
    readonly entry: QuickJSHandle,
    /** Bytes that it may have. */
    private readonly most: number,
  ) {
    runtime.setInterruptHandler(() => {
      if (Date.now() <= this.#deadline) return false;
      if (++this.#interrupts > MOST_INTERRUPTS) this.#break();
      return true;
    });
  }

  /** What ran in here could be stopped only by force: nothing else may run. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * QuickJS ends a script by an error that scripts cannot catch, but what a promise's executor or an asynchronous
   * generator throws becomes a rejection all the same, and a loop around it goes on for ever. Without its memory the
   * engine meets an address that there is not, which ends it.
   */
  #break(): void {
    this.#broken = true;
    new Uint8Array(this.memory.buffer).fill(0xff);
  }

  /**
   * @param library a script; its value is what `entry` holds
   * @param most bytes that it may have in all: the engine's own count of what it uses is none in WebAssembly
   */
  static async make(
    wasm: WebAssembly.Module,
    library: string,
    most: number,
    extend?: (context: QuickJSContext) => void,
  ): Promise<Cell> {
    const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: Math.ceil(most / 65_536) });
    const module = await newQuickJSWASMModuleFromVariant(
      // biome-ignore lint/suspicious/noExplicitAny: the platform's own types, which core does not see
      newVariant(variant, { wasmModule: wasm as any, wasmMemory: memory as any }),
    );
    const runtime = module.newRuntime();
    runtime.setMaxStackSize(STACK_BYTES);
    const context = runtime.newContext();
    await hostFunctions(context);
    extend?.(context);
    const entry = context.unwrapResult(context.evalCode(library, 'library.js'));
    const cell = new Cell(memory, runtime, context, entry, most);
    cell.#picture = pictureOf(memory);
    return cell;
  }

  /** Bytes in use, roughly. */
  get grown(): number {
    return this.memory.buffer.byteLength;
  }

  /** Undoes everything that ran since the library was loaded. */
  restore(): void {
    if (this.#picture) new Uint8Array(this.memory.buffer).set(this.#picture);
  }

  /** Sets the limit for what runs next. */
  allow(limits: Limits): void {
    this.#limits = limits;
    this.#deadline = Date.now() + limits.time;
    this.#interrupts = 0;
  }

  /** Calls a function with texts and ArrayBuffers; its result as text. Throws `ScriptFailed`. */
  callText(fn: QuickJSHandle, ...given: (string | Uint8Array)[]): string {
    const { context } = this;
    const args: QuickJSHandle[] = [];
    try {
      for (const value of given) args.push(this.#inside(value));
      const result = context.callFunction(fn, context.undefined, args);
      if (result.error) throw new ScriptFailed(this.failureOf(result.error));
      const text = context.getString(result.value);
      result.value.dispose();
      return text;
    } catch (error) {
      if (error instanceof NoRoom) throw new ScriptFailed(this.tooMuch());
      throw error;
    } finally {
      if (!this.#broken) for (const arg of args) arg.dispose();
    }
  }

  /** Why what was thrown in here ended the script. */
  failureFrom(error: unknown): Failure {
    if (this.#broken) return this.tooLong();
    if (error instanceof ScriptFailed) return error.failure;
    return { kind: 'crashed', message: String(error) };
  }

  /** Describes and disposes an error. */
  failureOf(error: QuickJSHandle): Failure {
    const dumped = this.context.dump(error) as { name?: string; message?: string } | string | undefined;
    error.dispose();
    if (typeof dumped !== 'object' || dumped === null) return { kind: 'thrown', message: String(dumped) };
    const { name, message = '' } = dumped;
    if (name === 'InternalError' && message === 'interrupted') {
      return this.tooLong();
    }
    if (/out of memory/.test(message) || name === 'NoRoom') return this.tooMuch();
    return { kind: 'thrown', ...(name && { name }), message };
  }

  tooLong(): Failure {
    const seconds = (this.#limits?.time ?? 0) / 1000;
    return { kind: 'time', message: `it ran for too long (more than ${seconds} seconds without a pause)` };
  }

  tooMuch(): Failure {
    return { kind: 'memory', message: tooMuchMemory(this.most) };
  }

  #inside(value: string | Uint8Array): QuickJSHandle {
    if (typeof value !== 'string') return newBytes(this.context, value);
    needRoom(this.context, value.length);
    return this.context.newString(value);
  }
}

/** The used part: what lies behind it was never written. */
function pictureOf(memory: WebAssembly.Memory): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(memory.buffer);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.slice(0, end);
}
