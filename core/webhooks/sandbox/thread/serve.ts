/** What a sandbox thread does: takes scripts from the core, runs them in cells, answers. */
import type { SandboxPort } from '#core/host';
import { answerPattern, type PatternMessage } from '#core/regex';
import library from '../library.json' with { type: 'json' };
import { EXPRESSION_MEMORY } from '../memory-limits.ts';
import type { FromThread, ToThread } from '../protocol.ts';
import { Cell } from './cell.ts';
import { CodeCells } from './code-cells.ts';

/** Expressions share a realm in which nothing can be changed; now and then it is put back for its memory. */
const BATCHES_A_REALM = 2000;
/** Bytes. */
const LARGEST_KEPT = 64 * 2 ** 20;

/** @param wasm bytes of QuickJS, or the compiled module */
export async function serveSandbox(
  port: SandboxPort,
  wasm: BufferSource | WebAssembly.Module,
): Promise<void> {
  const post = (message: FromThread) => port.post(message);
  const unusable = (error: unknown) => post({ type: 'unusable', message: String(error) });
  const waiting: ToThread[] = [];
  let handle = (message: ToThread): void => void waiting.push(message);
  port.onMessage((message) => {
    const { type } = message as ToThread | PatternMessage;
    // These need no QuickJS: who sends them ends the thread when they take too long.
    if (type === 'pattern') port.post(answerPattern(message as PatternMessage));
    else if (type === 'ping') post({ type: 'pong' });
    else handle(message as ToThread);
  });
  try {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const make = () => Cell.make(module, library.expressions, EXPRESSION_MEMORY);
    let expressions = await make();
    const codes = new CodeCells(module, post);
    let batches = 0;
    const work = (message: ToThread): void => {
      switch (message.type) {
        case 'evaluate': {
          const { id, script, limits } = message;
          try {
            if (++batches % BATCHES_A_REALM === 0) expressions.restore();
            expressions.allow(limits);
            const text = expressions.callText(expressions.entry, JSON.stringify(script));
            post({ type: 'done', id, value: text });
          } catch (error) {
            const failure = expressions.failureFrom(error);
            const isUsable = failure.kind !== 'crashed' && !expressions.broken;
            // Whatever was going on in there, it is gone.
            if (isUsable) expressions.restore();
            post({ type: 'failed', id, failure });
            // Memory that has grown never shrinks, and of a crash nobody knows what it left.
            if (!isUsable || expressions.grown > LARGEST_KEPT) {
              handle = (message) => void waiting.push(message);
              void make().then((cell) => {
                expressions = cell;
                handle = work;
                for (const message of waiting.splice(0)) handle(message);
              }, unusable);
            }
          }
          return;
        }
        case 'code':
          codes.run(message.id, message.script, message.limits);
          return;
        case 'answer':
          codes.answer(message);
          return;
        case 'cancel':
          codes.cancel(message.id);
          return;
      }
    };
    handle = work;
    for (const message of waiting.splice(0)) handle(message);
    post({ type: 'ready' });
  } catch (error) {
    unusable(error);
  }
}
