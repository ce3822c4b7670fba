/** Runs Code nodes, each in a fresh QuickJS. While one waits for a timer or an answer, the thread is free for others. */
import type { QuickJSContext } from 'quickjs-emscripten-core';
import type { CodeScript } from '../code-script.ts';
import library from '../library.json' with { type: 'json' };
import { CODE_MEMORY } from '../memory-limits.ts';
import { packMessage, unpackMessage } from '../packed-message.ts';
import type { FromThread, ScriptLimits, ToThread } from '../protocol.ts';
import type { ScriptFailure } from '../script-failure.ts';
import { QuickJsInstance, ScriptError } from './quickjs-instance.ts';
import { readHandle } from './quickjs-values.ts';
import { Subtle } from './subtle.ts';

/** Instances that are kept for later runs. More are created while more run at once. */
const MAX_FREE = 4;
/** An instance with more memory is not reused (bytes). */
const MAX_REUSED_MEMORY = 64 * 2 ** 20;
/** Calls of the server that may be pending at once. */
const MAX_CALLS = 1000;
/** Bytes that the pending calls may carry together. */
const MAX_CALL_BYTES = 2 * CODE_MEMORY;
/** Timers that may be pending at once. They take memory outside of the sandbox. */
const MAX_TIMERS = 10_000;
/** Characters that the console of a run may write. */
const MAX_CONSOLE = 1_000_000;
/** Promise jobs between two checks of the time. */
const JOBS_PER_CHECK = 1000;

/** An instance, and the run in it: the functions of the bridge are defined once and serve one run after the other. */
interface Slot {
  instance: QuickJsInstance;
  run: CodeRun | undefined;
}

interface CodeRun {
  id: number;
  limits: ScriptLimits;
  timers: Map<number, PendingTimer>;
  /** When the present step began: the start of the delays of its timers (milliseconds). */
  stepStart: number;
  /** The bytes that each pending call carries, by the call's id. */
  calls: Map<number, number>;
  /** Characters that its console wrote. */
  consoleLength: number;
  subtle: Subtle;
  hasEnded: boolean;
}

interface PendingTimer {
  id: number;
  /** On the clock of `stepStart`, in milliseconds. */
  due: number;
  handle: ReturnType<typeof setTimeout>;
}

export class CodeRuns {
  readonly #free: Slot[] = [];
  readonly #slots = new Map<number, Slot>();
  /** Runs that wait for an instance. */
  readonly #starting = new Set<number>();

  constructor(
    private readonly wasm: WebAssembly.Module,
    private readonly post: (message: FromThread) => void,
  ) {}

  /** Runs a script. Its result or failure is posted. */
  run(id: number, script: CodeScript, limits: ScriptLimits): void {
    this.#starting.add(id);
    this.#start(id, script, limits).catch((error: unknown) => {
      this.#finish(id, { failure: { kind: 'crashed', message: String(error) } });
    });
  }

  /** Settles a call of the code. */
  answer({ id, call, value, error }: Extract<ToThread, { type: 'answer' }>): void {
    const slot = this.#slots.get(id);
    if (!slot?.run) return;
    slot.run.calls.delete(call);
    const { text, parts } = packMessage(error === undefined ? value : { message: error });
    this.#step(slot, 'resume', String(call), error === undefined ? 'ok' : 'error', text, ...parts);
  }

  /** Ends a run without a result. */
  cancel(id: number): void {
    this.#starting.delete(id);
    const slot = this.#slots.get(id);
    if (slot) this.#end(id, slot);
  }

  async #start(id: number, script: CodeScript, limits: ScriptLimits): Promise<void> {
    const slot = this.#free.pop() ?? (await this.#createSlot());
    if (!this.#starting.delete(id)) {
      this.#free.push(slot);
      return;
    }
    slot.run = {
      id,
      limits,
      timers: new Map(),
      stepStart: performance.now(),
      calls: new Map(),
      consoleLength: 0,
      subtle: new Subtle(),
      hasEnded: false,
    };
    this.#slots.set(id, slot);
    const { instance } = slot;
    instance.startTimeLimit(limits);
    const { code, ...rest } = script;
    const compiled = instance.context.evalCode(`(async function () {${code}\n})`, 'code.js');
    if (compiled.error) return this.#finish(id, { failure: instance.takeError(compiled.error) });
    instance.context.setProp(instance.context.global, '__code', compiled.value);
    compiled.value.dispose();
    this.#step(slot, 'run', JSON.stringify(rest));
  }

  /** Calls the library, runs the promise jobs that became ready, and finishes the run if it has a result. */
  #step(slot: Slot, ...call: (string | Uint8Array)[]): void {
    const { instance, run } = slot;
    if (!run || run.hasEnded) return;
    instance.startTimeLimit(run.limits);
    run.stepStart = performance.now();
    const deadline = Date.now() + run.limits.time;
    try {
      instance.callText(instance.entry, ...call);
      for (;;) {
        const jobs = instance.runtime.executePendingJobs(JOBS_PER_CHECK);
        if (jobs.error) throw new ScriptError(instance.takeError(jobs.error));
        if (jobs.value === 0) break;
        if (Date.now() > deadline) throw new ScriptError(instance.timeFailure());
      }
      const result = instance.callText(instance.entry, 'poll');
      if (result !== '') this.#finish(run.id, JSON.parse(result));
      else if (run.timers.size === 0 && run.calls.size === 0) {
        this.#finish(run.id, {
          failure: { kind: 'thrown', message: 'The code waits for something that cannot come' },
        });
      }
    } catch (error) {
      this.#finish(run.id, { failure: instance.failureFrom(error) });
    }
  }

  #finish(id: number, result: { failure?: ScriptFailure }): void {
    this.#starting.delete(id);
    const slot = this.#slots.get(id);
    if (result.failure) this.post({ type: 'failed', id, failure: result.failure });
    else this.post({ type: 'done', id, value: result });
    if (slot) this.#end(id, slot, result.failure?.kind === 'crashed');
  }

  #end(id: number, slot: Slot, hasCrashed = false): void {
    this.#slots.delete(id);
    const { run, instance } = slot;
    if (run) {
      run.hasEnded = true;
      for (const { handle } of run.timers.values()) clearTimeout(handle);
      run.subtle.end();
    }
    slot.run = undefined;
    const isReusable = !hasCrashed && !instance.broken && instance.memorySize <= MAX_REUSED_MEMORY;
    if (!isReusable || this.#free.length >= MAX_FREE) return;
    // Deferred: a function of the instance itself may be the caller.
    queueMicrotask(() => {
      instance.restore();
      this.#free.push(slot);
    });
  }

  async #createSlot(): Promise<Slot> {
    const slot = { run: undefined } as Partial<Slot> as Slot;
    slot.instance = await QuickJsInstance.create(this.wasm, library.code, CODE_MEMORY, (context) =>
      this.#defineBridge(context, slot),
    );
    return slot;
  }

  #defineBridge(context: QuickJSContext, slot: Slot): void {
    const bridge = context.newObject();
    const define = (name: string, call: (run: CodeRun, ...args: never[]) => void) => {
      const handle = context.newFunction(name, (...args) => {
        if (slot.run) call(slot.run, ...(args.map((arg) => readHandle(context, arg)) as never[]));
      });
      context.setProp(bridge, name, handle);
      handle.dispose();
    };
    define('call', (run, call: number, method: string, text: string, ...parts: Uint8Array[]) => {
      const args = unpackMessage(text, parts) as unknown[];
      this.#call(run, call, method, args, sum(parts.map(({ length }) => length)));
    });
    define('timer', (run, id: number, milliseconds: number) => {
      if (run.timers.size >= MAX_TIMERS) throw new Error(`More than ${MAX_TIMERS} timers at once`);
      const due = run.stepStart + milliseconds;
      run.timers.set(id, { id, due, handle: setTimeout(() => this.#fire(slot, run, due), milliseconds) });
    });
    define('clearTimer', clearTimer);
    define('console', (run, line: string) => this.#console(run, line));
    context.setProp(context.global, '__bridge', bridge);
    bridge.dispose();
  }

  /** Runs the timers that are due by then, in their order: a slow step must not change the order of its timers. */
  #fire(slot: Slot, run: CodeRun, time: number): void {
    const due = [...run.timers.values()].filter((timer) => timer.due <= time);
    for (const { id } of due.sort((a, b) => a.due - b.due || a.id - b.id)) {
      // A callback before it may have cleared it.
      if (!run.timers.has(id)) continue;
      clearTimer(run, id);
      this.#step(slot, 'timer', String(id));
    }
  }

  /** Posts a line. Lines beyond the limit are dropped; the last one says so. */
  #console(run: CodeRun, line: string): void {
    if (run.consoleLength >= MAX_CONSOLE) return;
    const left = MAX_CONSOLE - run.consoleLength;
    run.consoleLength += line.length + 1;
    const isLast = run.consoleLength >= MAX_CONSOLE;
    const shown = isLast ? `${line.slice(0, left)} … (the rest of the console is left out)` : line;
    this.post({ type: 'console', id: run.id, line: shown });
  }

  /** Errors of these checks are thrown into the code, so that they also end a loop that never awaits. */
  #call(run: CodeRun, call: number, method: string, args: unknown[], bytes: number): void {
    if (run.calls.size >= MAX_CALLS) {
      throw new Error(`More than ${MAX_CALLS} calls at once: await some before you begin others`);
    }
    if (bytes + sum(run.calls.values()) > MAX_CALL_BYTES) {
      throw new Error('Too many bytes in calls at once: await some before you begin others');
    }
    run.calls.set(call, bytes);
    if (method !== 'subtle') {
      this.post({ type: 'call', id: run.id, call, method, args });
      return;
    }
    run.subtle.call(String(args[0]), args[1] as unknown[]).then(
      (value) => this.answer({ type: 'answer', id: run.id, call, value }),
      (error: Error) => this.answer({ type: 'answer', id: run.id, call, error: error.message }),
    );
  }
}

function clearTimer(run: CodeRun, id: number): void {
  clearTimeout(run.timers.get(id)?.handle);
  run.timers.delete(id);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
