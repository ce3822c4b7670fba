/**
 * One QuickJS with a WebAssembly memory of its own. Once its library is loaded, a snapshot of the memory is taken.
 * Writing the snapshot back gives a fresh realm in a fraction of a millisecond; creating an instance takes fifty.
 */
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { memoryLimitText } from '../memory-limits.ts';
import type { ScriptLimits } from '../protocol.ts';
import type { ScriptFailure } from '../script-failure.ts';
import { defineHostFunctions } from './host-functions.ts';
import { newBytes, requireMemory, SandboxOutOfMemory } from './quickjs-values.ts';

/** The initial memory, in pages of 64 KiB. */
const INITIAL_PAGES = 256;
const STACK_BYTES = 512 * 1024;
/** QuickJS stops at the first interrupt. Code that continues after so many cannot be stopped by them. */
const MAX_INTERRUPTS = 10;

export class ScriptError extends Error {
  override name = 'ScriptError';
  constructor(readonly failure: ScriptFailure) {
    super(failure.message);
  }
}

export class QuickJsInstance {
  #deadline = Number.POSITIVE_INFINITY;
  #limits: ScriptLimits | undefined;
  /** How often the running code was interrupted. */
  #interrupts = 0;
  #broken = false;
  #snapshot: readonly Segment[] = [];

  private constructor(
    private readonly memory: WebAssembly.Memory,
    readonly runtime: QuickJSRuntime,
    readonly context: QuickJSContext,
    /** The value of the library script. */
    readonly entry: QuickJSHandle,
    /** Bytes. */
    private readonly memoryLimit: number,
  ) {
    runtime.setInterruptHandler(() => {
      if (Date.now() <= this.#deadline) return false;
      if (++this.#interrupts > MAX_INTERRUPTS) this.#break();
      return true;
    });
  }

  /** Whether code had to be stopped by force. Nothing else may run in the instance then. */
  get broken(): boolean {
    return this.#broken;
  }

  /**
   * Stops code that interrupts do not stop. QuickJS ends a script by an error that scripts cannot catch. But an error
   * thrown by a promise's executor or by an asynchronous generator becomes a rejection, and a loop around it continues.
   * With its memory overwritten, the engine soon uses an address that does not exist, which ends it.
   */
  #break(): void {
    this.#broken = true;
    new Uint8Array(this.memory.buffer).fill(0xff);
  }

  /**
   * @param library a script; `entry` holds its value
   * @param memoryLimit bytes in all: in WebAssembly the engine's own count of its memory does not work
   * @param extend defines more globals before the library runs
   */
  static async create(
    wasm: WebAssembly.Module,
    library: string,
    memoryLimit: number,
    extend?: (context: QuickJSContext) => void,
  ): Promise<QuickJsInstance> {
    const memory = new WebAssembly.Memory({
      initial: INITIAL_PAGES,
      maximum: Math.ceil(memoryLimit / 65_536),
    });
    const module = await newQuickJSWASMModuleFromVariant(
      // biome-ignore lint/suspicious/noExplicitAny: the platform's own types, which core does not see
      newVariant(variant, { wasmModule: wasm as any, wasmMemory: memory as any }),
    );
    const runtime = module.newRuntime();
    runtime.setMaxStackSize(STACK_BYTES);
    const context = runtime.newContext();
    await defineHostFunctions(context);
    extend?.(context);
    const entry = context.unwrapResult(context.evalCode(library, 'library.js'));
    const instance = new QuickJsInstance(memory, runtime, context, entry, memoryLimit);
    instance.#snapshot = snapshotOf(memory);
    return instance;
  }

  /** Bytes. Memory that was once allocated never shrinks. */
  get memorySize(): number {
    return this.memory.buffer.byteLength;
  }

  /** Undoes everything that ran since the library was loaded. */
  restore(): void {
    const bytes = new Uint8Array(this.memory.buffer);
    for (const { start, content } of this.#snapshot) bytes.set(content, start);
  }

  /** Starts the time limit of the code that runs next. */
  startTimeLimit(limits: ScriptLimits): void {
    this.#limits = limits;
    this.#deadline = Date.now() + limits.time;
    this.#interrupts = 0;
  }

  /** Calls a function with texts and ArrayBuffers and returns its result as text. @throws ScriptError */
  callText(fn: QuickJSHandle, ...values: (string | Uint8Array)[]): string {
    const { context } = this;
    const args: QuickJSHandle[] = [];
    try {
      for (const value of values) args.push(this.#newValue(value));
      const result = context.callFunction(fn, context.undefined, args);
      if (result.error) throw new ScriptError(this.takeError(result.error));
      const text = context.getString(result.value);
      result.value.dispose();
      return text;
    } catch (error) {
      if (error instanceof SandboxOutOfMemory) throw new ScriptError(this.memoryFailure());
      throw error;
    } finally {
      if (!this.#broken) for (const arg of args) arg.dispose();
    }
  }

  /** Why an error that was thrown here ended the script. */
  failureFrom(error: unknown): ScriptFailure {
    if (this.#broken) return this.timeFailure();
    if (error instanceof ScriptError) return error.failure;
    return { kind: 'crashed', message: String(error) };
  }

  /** Describes an error of the script and disposes its handle. */
  takeError(error: QuickJSHandle): ScriptFailure {
    const dumped = this.context.dump(error) as { name?: string; message?: string } | string | undefined;
    error.dispose();
    if (typeof dumped !== 'object' || dumped === null) return { kind: 'thrown', message: String(dumped) };
    const { name, message = '' } = dumped;
    if (name === 'InternalError' && message === 'interrupted') return this.timeFailure();
    if (/out of memory/.test(message) || name === 'OutOfMemory') return this.memoryFailure();
    return { kind: 'thrown', ...(name && { name }), message };
  }

  timeFailure(): ScriptFailure {
    const seconds = (this.#limits?.time ?? 0) / 1000;
    return { kind: 'time', message: `it ran for too long (more than ${seconds} seconds without a pause)` };
  }

  memoryFailure(): ScriptFailure {
    return { kind: 'memory', message: memoryLimitText(this.memoryLimit) };
  }

  #newValue(value: string | Uint8Array): QuickJSHandle {
    if (typeof value !== 'string') return newBytes(this.context, value);
    requireMemory(this.context, value.length);
    return this.context.newString(value);
  }
}

/** A part of the memory. */
interface Segment {
  start: number;
  content: Uint8Array<ArrayBuffer>;
}

/** Zeros of this many bytes were never written. */
const LARGE_GAP = 2 ** 18;
const PAGE = 2 ** 12;

/**
 * A copy of the parts that were written. Unwritten memory lies between the static data and the heap, where the stack of
 * C grows down, and after the heap. C reads neither before it writes to them, so that values of an earlier run there do
 * no harm.
 */
function snapshotOf(memory: WebAssembly.Memory): Segment[] {
  const bytes = new Uint8Array(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  // A plain loop: a callback for each byte takes a tenth of a second.
  const isWritten = (page: number) => {
    const end = (page + PAGE) / words.BYTES_PER_ELEMENT;
    let at = page / words.BYTES_PER_ELEMENT;
    while (at < end && words[at] === 0) at++;
    return at < end;
  };
  const ranges: { start: number; end: number }[] = [];
  for (let page = 0; page < bytes.length; page += PAGE) {
    if (!isWritten(page)) continue;
    const last = ranges.at(-1);
    if (last && page - last.end < LARGE_GAP) last.end = page + PAGE;
    else ranges.push({ start: page, end: page + PAGE });
  }
  return ranges.map(({ start, end }) => ({ start, content: bytes.slice(start, end) }));
}
