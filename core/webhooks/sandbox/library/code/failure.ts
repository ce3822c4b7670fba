import type { CodeFailure } from '../../code-script.ts';
import { CODE_MEMORY, memoryLimitText } from '../../memory-limits.ts';
import { ReportedError } from '../reported-error.ts';

/** Describes an error of the user's code, with the line that threw it. */
export function toCodeFailure(error: unknown, itemIndex: number): CodeFailure {
  if (!(error instanceof Error)) return { kind: 'thrown', message: shown(error) };
  if (isOutOfMemory(error)) return { kind: 'memory', message: memoryLimitText(CODE_MEMORY) };
  const line = lineOf(error);
  const failure: CodeFailure = {
    kind: 'thrown',
    name: error.name,
    message: error.message,
  };
  if (line !== undefined) failure.line = line;
  if (error instanceof ReportedError) {
    failure.name = 'ExpressionError';
    if (error.description !== undefined) failure.description = error.description;
    // A fault of the node's settings: it does not depend on the item.
    if (/^Can't use \./.test(error.message)) {
      failure.refused = true;
      failure.itemIndex = itemIndex;
    }
  }
  return failure;
}

/** The engine's own error, or that of a value for which the thread found no memory. */
function isOutOfMemory({ name, message }: Error): boolean {
  return (name === 'InternalError' && message === 'out of memory') || name === 'OutOfMemory';
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
