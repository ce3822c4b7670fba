/** Runs expressions and code in the real QuickJS, on the scope of `sampleScope`, without an engine. */
import type { Network } from '#core/host';
import type { CodeScope } from '#core/webhooks/expressions/code-scope.ts';
import { compile } from '#core/webhooks/expressions/compile.ts';
import { createExpressions, type ScriptResult } from '#core/webhooks/expressions/create-expressions.ts';
import type { ExpressionScope, Expressions } from '#core/webhooks/expressions/expressions.ts';
import { packItem, packShared } from '#core/webhooks/expressions/pack-scope.ts';
import type { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { runCode } from '#core/webhooks/sandbox/code-runner.ts';
import { DEFAULT_LIMITS, SandboxPool } from '#core/webhooks/sandbox/pool.ts';
import { inlineSandbox } from '../host/inline-sandbox.ts';
import { codeScope, sampleScope } from './expression-scope.ts';

interface ExpressionOptions {
  scope?: Partial<ExpressionScope>;
  /** The indexes of the items that it is evaluated for, by default only the first. */
  items?: number[];
  as?: 'value' | 'text';
}

interface CodeOptions {
  scope?: Partial<CodeScope>;
  mode?: 'allItems' | 'eachItem';
  /** Answers the requests of the code. */
  fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  /** Receives the lines of the console. */
  lines?: string[];
}

export interface SandboxScripts {
  /** The value of an expression for the first item, or the result that says why there is none. */
  evaluate(code: string, options?: ExpressionOptions): Promise<unknown>;
  /** The results of a function expression, as they leave the sandbox. */
  evaluateSource(source: string, options?: ExpressionOptions): Promise<ScriptResult[]>;
  /** The value that code returns for the first item, or `{ error }` with the message. */
  run(code: string, options?: CodeOptions): Promise<unknown>;
  /** The value or the error of the code for each item. */
  runAll(code: string, options?: CodeOptions): Promise<({ value: unknown } | { error: NodeError })[]>;
  /** Evaluates parameters of nodes. */
  expressions: Expressions;
  close(): void;
}

/** @param threads the threads in which the scripts run; by default the thread of the test */
export function openSandbox(threads = inlineSandbox, limits = DEFAULT_LIMITS): SandboxScripts {
  const pool = new SandboxPool(threads, { threads: 1, ...limits });
  const { signal } = new AbortController();
  const uses = { items: true, nodes: new Set(['Start', 'Middle', 'Unused']), matching: true };
  const clock = {
    after(milliseconds: number, callback: () => void) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const scripts: SandboxScripts = {
    async evaluate(code, options) {
      const program = compile(code);
      const source = program.kind === 'script' ? program.source : `(function () { return (${code}\n) })`;
      const [result] = await scripts.evaluateSource(source, options);
      return 'json' in result! ? JSON.parse(result.json) : result;
    },
    evaluateSource(source, { scope: changes = {}, items = [0], as = 'value' } = {}) {
      const scope = sampleScope(changes);
      const packs = items.map((index) => packItem(scope, uses, index));
      return pool.evaluate({ source, as, shared: packShared(scope, uses), items: packs }, signal);
    },
    async run(code, options) {
      const [outcome] = await scripts.runAll(code, options);
      return 'value' in outcome! ? outcome.value : { error: outcome?.error.message };
    },
    runAll(code, { scope = {}, mode = 'allItems', fetch = noNetwork, lines = [] } = {}) {
      const parts = { pool, network: { fetch } as Network, clock: clock as never };
      return runCode({ code, mode }, codeScope(scope, lines), parts, signal);
    },
    expressions: createExpressions(pool),
    close: () => pool.close(),
  };
  return scripts;
}

const noNetwork = async (): Promise<Response> => {
  throw new Error('no network in this test');
};
