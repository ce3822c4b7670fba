/** Runs Code nodes: each in a cell of its own, as new as on the first day. A cell that waits leaves the thread to others. */
import type { QuickJSContext } from 'quickjs-emscripten-core';
import { pack, unpack } from '../bytes-in-json.ts';
import type { CodeScript } from '../code-script.ts';
import library from '../library.json' with { type: 'json' };
import { CODE_MEMORY } from '../memory-limits.ts';
import type { Failure, FromThread, Limits, ToThread } from '../protocol.ts';
import { Cell, ScriptFailed } from './cell.ts';
import { Subtle } from './subtle.ts';
import { fromInside } from './values.ts';

/** Cells kept for the next run; more are made while more run at once. */
const KEPT_CELLS = 4;
/** A cell whose memory has grown beyond this is not kept (bytes). */
const LARGEST_KEPT = 64 * 2 ** 20;
/** Calls of the server under way at once. */
const MOST_CALLS = 1000;
/** Bytes that those may carry to the server. */
const MOST_UNDER_WAY = 2 * CODE_MEMORY;
/** Characters that a run's console says. */
const LONGEST_CONSOLE = 1_000_000;
/** Between two looks at the time. */
const JOBS_AT_ONCE = 1000;

/** The functions that a cell's code calls, with the run that is going on in it. */
interface Slot {
  cell: Cell;
  run: Run | undefined;
}

interface Run {
  id: number;
  limits: Limits;
  timers: Map<number, ReturnType<typeof setTimeout>>;
  /** Calls that wait for their answer, with the bytes that each brought. */
  calls: Map<number, number>;
  /** Characters that its console said. */
  said: number;
  subtle: Subtle;
  over: boolean;
}

export class CodeCells {
  readonly #free: Slot[] = [];
  readonly #runs = new Map<number, Slot>();
  readonly #waiting = new Set<number>();

  constructor(
    private readonly wasm: WebAssembly.Module,
    private readonly post: (message: FromThread) => void,
  ) {}

  run(id: number, script: CodeScript, limits: Limits): void {
    this.#waiting.add(id);
    this.#start(id, script, limits).catch((error: unknown) => {
      this.#finish(id, { failure: { kind: 'crashed', message: String(error) } });
    });
  }

  answer({ id, call, value, error }: Extract<ToThread, { type: 'answer' }>): void {
    const slot = this.#runs.get(id);
    if (!slot?.run) return;
    slot.run.calls.delete(call);
    const { text, parts } = pack(error === undefined ? value : { message: error });
    this.#step(slot, 'resume', String(call), error === undefined ? 'ok' : 'error', text, ...parts);
  }

  cancel(id: number): void {
    this.#waiting.delete(id);
    const slot = this.#runs.get(id);
    if (slot) this.#end(id, slot);
  }

  async #start(id: number, script: CodeScript, limits: Limits): Promise<void> {
    const slot = this.#free.pop() ?? (await this.#makeSlot());
    if (!this.#waiting.delete(id)) {
      this.#free.push(slot);
      return;
    }
    slot.run = {
      id,
      limits,
      timers: new Map(),
      calls: new Map(),
      said: 0,
      subtle: new Subtle(),
      over: false,
    };
    this.#runs.set(id, slot);
    const { cell } = slot;
    cell.allow(limits);
    const made = cell.context.evalCode(`(async function () {${script.code}\n})`, 'code.js');
    if (made.error) return this.#finish(id, { failure: cell.failureOf(made.error) });
    cell.context.setProp(cell.context.global, '__code', made.value);
    made.value.dispose();
    const { code: _compiled, ...rest } = script;
    this.#step(slot, 'run', JSON.stringify(rest));
  }

  /** Calls into the cell, runs what became ready, and looks whether that was all. */
  #step(slot: Slot, ...call: (string | Uint8Array)[]): void {
    const { cell, run } = slot;
    if (!run || run.over) return;
    cell.allow(run.limits);
    const until = Date.now() + run.limits.time;
    try {
      cell.callText(cell.entry, ...call);
      for (;;) {
        const jobs = cell.runtime.executePendingJobs(JOBS_AT_ONCE);
        if (jobs.error) throw new ScriptFailed(cell.failureOf(jobs.error));
        if (jobs.value === 0) break;
        if (Date.now() > until) throw new ScriptFailed(cell.tooLong());
      }
      const result = cell.callText(cell.entry, 'poll');
      if (result !== '') this.#finish(run.id, JSON.parse(result));
      else if (this.#isStuck(run)) {
        this.#finish(run.id, {
          failure: { kind: 'thrown', message: 'The code waits for something that cannot come' },
        });
      }
    } catch (error) {
      this.#finish(run.id, { failure: cell.failureFrom(error) });
    }
  }

  /** Nothing is under way that could make the code go on. */
  #isStuck(run: Run): boolean {
    return run.timers.size === 0 && run.calls.size === 0;
  }

  #finish(id: number, result: { failure?: Failure }): void {
    this.#waiting.delete(id);
    const slot = this.#runs.get(id);
    if (result.failure) this.post({ type: 'failed', id, failure: result.failure });
    else this.post({ type: 'done', id, value: result });
    if (slot) this.#end(id, slot, result.failure?.kind === 'crashed');
  }

  #end(id: number, slot: Slot, broken = false): void {
    this.#runs.delete(id);
    const { run, cell } = slot;
    if (run) {
      run.over = true;
      for (const timer of run.timers.values()) clearTimeout(timer);
    }
    slot.run = undefined;
    if (broken || cell.broken || cell.grown > LARGEST_KEPT || this.#free.length >= KEPT_CELLS) return;
    // Not from inside of the cell: this may be called by one of its functions.
    queueMicrotask(() => {
      cell.restore();
      this.#free.push(slot);
    });
  }

  async #makeSlot(): Promise<Slot> {
    const slot = { run: undefined } as Partial<Slot> as Slot;
    slot.cell = await Cell.make(this.wasm, library.code, CODE_MEMORY, (context) =>
      this.#defineBridge(context, slot),
    );
    return slot;
  }

  #defineBridge(context: QuickJSContext, slot: Slot): void {
    const bridge = context.newObject();
    const define = (name: string, call: (run: Run, ...args: never[]) => void) => {
      const made = context.newFunction(name, (...args) => {
        if (slot.run) call(slot.run, ...(args.map((arg) => fromInside(context, arg)) as never[]));
      });
      context.setProp(bridge, name, made);
      made.dispose();
    };
    define('call', (run, call: number, method: string, text: string, ...parts: Uint8Array[]) =>
      this.#call(run, call, method, unpack(text, parts) as unknown[], sum(parts.map(({ length }) => length))),
    );
    define('timer', (run, timer: number, milliseconds: number) => {
      const fire = () => {
        run.timers.delete(timer);
        this.#step(slot, 'timer', String(timer));
      };
      run.timers.set(timer, setTimeout(fire, milliseconds));
    });
    define('clearTimer', (run, timer: number) => {
      clearTimeout(run.timers.get(timer));
      run.timers.delete(timer);
    });
    define('console', (run, line: string) => this.#console(run, line));
    context.setProp(context.global, '__bridge', bridge);
    bridge.dispose();
  }

  /** What is too much is left out, with a word about it. */
  #console(run: Run, line: string): void {
    if (run.said >= LONGEST_CONSOLE) return;
    const left = LONGEST_CONSOLE - run.said;
    run.said += line.length + 1;
    const shown =
      run.said < LONGEST_CONSOLE ? line : `${line.slice(0, left)} … (the rest of the console is left out)`;
    this.post({ type: 'console', id: run.id, line: shown });
  }

  #call(run: Run, call: number, method: string, args: unknown[], bytes: number): void {
    // Thrown inside of the cell: a loop that never awaits gets no further.
    if (run.calls.size >= MOST_CALLS) {
      throw new Error(`More than ${MOST_CALLS} calls at once: await some before you begin others`);
    }
    if (bytes + sum(run.calls.values()) > MOST_UNDER_WAY) {
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

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const one of numbers) all += one;
  return all;
}
