/** The work of a thread for Python: it takes scripts from the core, runs one after the other, and posts their results. */
import { errorMessage } from '#core/base';
import type { SandboxPort } from '#core/host';
import { CODE_MEMORY, memoryLimitText } from '../memory-limits.ts';
import type { FromThread, ToThread } from '../protocol.ts';
import { type PythonFiles, PythonInterpreter } from './interpreter.ts';

/**
 * Serves one thread. Resolves when Python is ready. A failure to start is posted as `unusable`; this never rejects.
 * @param port messages from and to the core
 * @param load loads the files of Python
 */
export async function servePython(port: SandboxPort, load: () => Promise<PythonFiles>): Promise<void> {
  const post = (message: FromThread) => port.post(message);
  const early: ToThread[] = [];
  let receive = (message: ToThread): void => void early.push(message);
  port.onMessage((message) => receive(message as ToThread));
  try {
    const interpreter = await PythonInterpreter.start(await load());
    receive = (message) => {
      if (message.type === 'ping') post({ type: 'pong' });
      if (message.type === 'code') runScript(interpreter, message, post);
    };
    post({ type: 'ready' });
    for (const message of early.splice(0)) receive(message);
  } catch (error) {
    post({ type: 'unusable', message: String(error) });
  }
}

function runScript(
  interpreter: PythonInterpreter,
  { id, script }: Extract<ToThread, { type: 'code' }>,
  post: (message: FromThread) => void,
): void {
  try {
    const result = interpreter.run(script, (line) => post({ type: 'console', id, line }));
    for (const outcome of result.outcomes) {
      if ('failure' in outcome && outcome.failure.kind === 'memory') {
        outcome.failure.message = memoryLimitText(CODE_MEMORY);
      }
    }
    post({ type: 'done', id, value: result });
  } catch (error) {
    post({ type: 'failed', id, failure: { kind: 'crashed', message: errorMessage(error) } });
  }
  // The owner starts another thread with the next script.
  if (!interpreter.isUsable) post({ type: 'unusable', message: 'Python has to start again' });
}
