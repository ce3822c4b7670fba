import type { CodeFailure } from '../../code-script.ts';
import { CODE_MEMORY, tooMuchMemory } from '../../memory-limits.ts';
import { Fault } from '../fault.ts';

/** What the person's code threw, with the line it came from. */
export function failureFrom(error: unknown, itemIndex: number): CodeFailure {
  if (!(error instanceof Error)) return { kind: 'thrown', message: shown(error) };
  if (isOutOfMemory(error)) return { kind: 'memory', message: tooMuchMemory(CODE_MEMORY) };
  const line = lineOf(error);
  const failure: CodeFailure = {
    kind: 'thrown',
    name: error.name,
    message: error.message,
  };
  if (line !== undefined) failure.line = line;
  if (error instanceof Fault) {
    failure.name = 'ExpressionError';
    if (error.description !== undefined) failure.description = error.description;
    // Not a slip of the data but of the node: every item would fail.
    if (/^Can't use \./.test(error.message)) {
      failure.refused = true;
      failure.itemIndex = itemIndex;
    }
  }
  return failure;
}

/** Of the code itself, or of what the thread does for it. */
function isOutOfMemory({ name, message }: Error): boolean {
  return (name === 'InternalError' && message === 'out of memory') || name === 'NoRoom';
}

function lineOf(error: Error): number | undefined {
  const [, line] = /\bcode\.js:(\d+)/.exec(error.stack ?? '') ?? [];
  return line === undefined ? undefined : Number(line);
}

function shown(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return String(thrown);
  }
}
