/** Runs Python in the real Pyodide, on the scope of `sampleScope`, without an engine. */
import type { SandboxThreads } from '#core/host';
import type { CodeScope } from '#core/webhooks/expressions/code-scope.ts';
import type { CodeReturn } from '#core/webhooks/node-api/node-context.ts';
import { runCode } from '#core/webhooks/sandbox/code-runner.ts';
import { DEFAULT_LIMITS } from '#core/webhooks/sandbox/pool.ts';
import { PythonPool } from '#core/webhooks/sandbox/python/python-pool.ts';
import { inlinePython } from '../host/inline-python.ts';
import { codeScope } from '../webhooks/expression-scope.ts';

interface PythonOptions {
  scope?: Partial<CodeScope>;
  mode?: 'allItems' | 'eachItem';
  input?: Record<string, unknown>;
  /** Receives the lines of the console. */
  lines?: string[];
  signal?: AbortSignal;
}

export interface PythonScripts {
  /** The value that code returns for the first item, or `{ error }` with the message. */
  run(code: string, options?: PythonOptions): Promise<unknown>;
  /** The value or the error of the code for each item. */
  runAll(code: string, options?: PythonOptions): Promise<CodeReturn[]>;
  close(): void;
}

/** @param threads the threads in which the scripts run; by default the thread of the test */
export function openPython(threads: SandboxThreads = inlinePython, limits = DEFAULT_LIMITS): PythonScripts {
  const python = new PythonPool(threads, limits);
  const never = new AbortController().signal;
  const scripts: PythonScripts = {
    async run(code, options) {
      const [outcome] = await scripts.runAll(code, options);
      return 'value' in outcome! ? outcome.value : { error: outcome?.error.message };
    },
    runAll(code, { scope = {}, mode = 'allItems', input, lines = [], signal = never } = {}) {
      const request = { language: 'python', code, mode, ...(input && { input }) } as const;
      const parts = {
        pool: undefined as never,
        python,
        network: undefined as never,
        clock: undefined as never,
      };
      return runCode(request, codeScope(scope, lines), parts, signal);
    },
    close: () => python.close(),
  };
  return scripts;
}
