/** What a sandbox thread does: takes scripts from the core, runs them in cells, answers. */
import type { SandboxPort } from '../../../host/sandbox.ts';
import library from '../library.json' with { type: 'json' };
import type { Failure, FromThread, ToThread } from '../protocol.ts';
import { Cell, ScriptFailed } from './cell.ts';
import { CodeCells } from './code-cells.ts';

/** Expressions share a realm in which nothing can be changed; now and then it is put back for its memory. */
const BATCHES_A_REALM = 2000;

/** @param wasm bytes of QuickJS, or the compiled module */
export async function serveSandbox(
  port: SandboxPort,
  wasm: BufferSource | WebAssembly.Module,
): Promise<void> {
  const post = (message: FromThread) => port.post(message);
  const waiting: ToThread[] = [];
  let handle = (message: ToThread): void => void waiting.push(message);
  port.onMessage((message) => handle(message as ToThread));
  try {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const expressions = await Cell.make(module, library.expressions);
    const codes = new CodeCells(module, post);
    let batches = 0;
    handle = (message) => {
      switch (message.type) {
        case 'evaluate': {
          const { id, script, limits } = message;
          try {
            if (++batches % BATCHES_A_REALM === 0) expressions.restore();
            expressions.allow(limits);
            const text = expressions.callText(expressions.entry, JSON.stringify(script));
            post({ type: 'done', id, value: text });
          } catch (error) {
            // Whatever was going on in there, it is gone.
            expressions.restore();
            post({ type: 'failed', id, failure: failureOf(error) });
          }
          return;
        }
        case 'code':
          return codes.run(message.id, message.script, message.limits);
        case 'answer':
          return codes.answer(message);
        case 'cancel':
          return codes.cancel(message.id);
      }
    };
    for (const message of waiting) handle(message);
    post({ type: 'ready' });
  } catch (error) {
    post({ type: 'unusable', message: String(error) });
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ScriptFailed) return error.failure;
  return { kind: 'crashed', message: String(error) };
}
