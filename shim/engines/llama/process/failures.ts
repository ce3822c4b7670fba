import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '#core/base';
import { ContextExceeded, RequestRefused, type SerializedEngineError } from '#core/host';
import { InsufficientMemoryError, NoBinaryFoundError } from '../llama-library.ts';
import { recentLines } from './native-log.ts';

const gpuOrMemory =
  /out of memory|failed to allocate|unable to allocate|cudaMalloc|ErrorOutOf\w*Memory|bad_alloc/i;

/**
 * Classifies an error of the library by its type or, since many errors give no reason, by llama.cpp's last
 * log lines.
 */
export async function toEngineError(thrown: unknown): Promise<SerializedEngineError> {
  const refused = thrown instanceof WeightsRefused;
  const error = refused ? thrown.cause : thrown;
  const message = errorMessage(error);
  if (error instanceof ContextExceeded) {
    const { promptTokens, contextLength } = error;
    return { kind: 'context', message, promptTokens, contextLength };
  }
  if (error instanceof RequestRefused) return { kind: 'refused', message };
  if (error instanceof RequestFault) return { kind: 'request', message };
  if (error instanceof ModelFault) return { kind: error.kind, message };
  if (error instanceof InsufficientMemoryError) return { kind: 'memory', message };
  if (error instanceof NoBinaryFoundError) {
    return { kind: 'request', message: `node-llama-cpp has no binary for this computer: ${message}` };
  }
  // Native log lines arrive a little later than the error itself.
  await sleep(30);
  const lines = recentLines();
  const log = lines.join('\n');
  const architecture = /unknown model architecture: '([^']*)'/.exec(log)?.[1];
  if (architecture !== undefined) {
    return {
      kind: 'unsupported',
      message: `llama.cpp does not know the architecture "${architecture}"`,
    };
  }
  if (/does not support token generation/i.test(message)) return { kind: 'unsupported', message };
  const cause = lines.findLast(
    (line) => /error|fail|corrupt|missing|invalid/i.test(line) && !vague.test(line),
  );
  const text = cause ? `${message} (${cause})` : message;
  // An adapter that does not fit was made for another model; its file is not damaged.
  if (/LoRA adapter/i.test(message)) return { kind: 'unsupported', message: text };
  if (gpuOrMemory.test(log) || gpuOrMemory.test(message)) return { kind: 'memory', message: text };
  // A system error (no such file, no permission) says nothing about the file's content.
  const fromSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string';
  return { kind: refused && !fromSystem ? 'corrupt' : 'request', message: text };
}

/** Log lines without a reason. */
const vague = /: failed to load model$|^Failed (simulating|to parse)/;

/** The model, not the machine, is at fault. */
export class ModelFault extends Error {
  constructor(
    readonly kind: 'corrupt' | 'unsupported' | 'memory',
    message: string,
  ) {
    super(message);
  }
}

/** Reading the weights failed: without another explanation the file is damaged. */
export class WeightsRefused extends Error {
  constructor(cause: unknown) {
    super('the weights were refused', { cause });
  }
}

/** The request is at fault. */
export class RequestFault extends Error {}
