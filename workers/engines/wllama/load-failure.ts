import type { EngineErrorKind, SerializedEngineError } from '#core/host';

const PATTERNS: [EngineErrorKind, RegExp][] = [
  // Not damaged: made for another model.
  ['unsupported', /failed to apply lora adapter/i],
  [
    'unsupported',
    /unknown model architecture|unsupported|unknown (?:pre-)?tokenizer|unknown (?:pre-tokenizer|tensor) type/i,
  ],
  [
    'memory',
    /insufficient memory|failed to allocate|out of memory|bad_alloc|cannot enlarge memory|allocation failed/i,
  ],
  [
    'corrupt',
    /invalid magic|not within the file bounds|corrupt|incomplete|failed to read|exceeds remaining file size|invalid gguf|failed to load model from|missing tensor|tensor '[^']*' not found|wrong (?:shape|number of tensors)|key not found|string length/i,
  ],
];

/** Finds out from what llama.cpp printed why a model did not load: its own result is only "no". */
export function loadFailure(errors: string[], fallback = 'the model did not load'): SerializedEngineError {
  for (const [kind, pattern] of PATTERNS) {
    const line = errors.find((error) => pattern.test(error));
    if (line) return { kind, message: plain(line) };
  }
  // Not known to be the file's fault: another device may do better.
  return { kind: 'crash', message: plain(errors[0] ?? fallback) };
}

/** Without the name of the C++ function that printed it. */
function plain(line: string): string {
  return line.replace(/^(?:(?:srv|cmn)\s+)?[\w:]+\s*:\s+/, '').replace(/^error loading model:\s+/, '');
}
