import type { EngineErrorKind, SerializedEngineError } from '#core/host';

const PATTERNS: [EngineErrorKind, RegExp][] = [
  // The adapter is not damaged: it belongs to another model.
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

/** The reason why a model did not load, from the lines that llama.cpp printed. Its result does not contain a reason. */
export function wllamaLoadError(
  errors: readonly string[],
  fallback = 'the model did not load',
): SerializedEngineError {
  for (const [kind, pattern] of PATTERNS) {
    const line = errors.find((error) => pattern.test(error));
    if (line) return { kind, message: stripFunctionName(line) };
  }
  // The file may be intact. As a crash the error allows a second attempt on another device.
  return { kind: 'crash', message: stripFunctionName(errors[0] ?? fallback) };
}

/** Removes the name of the C++ function that printed a line. */
function stripFunctionName(line: string): string {
  return line.replace(/^(?:(?:srv|cmn)\s+)?[\w:]+\s*:\s+/, '').replace(/^error loading model:\s+/, '');
}
