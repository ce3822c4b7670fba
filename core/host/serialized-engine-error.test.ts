import { expect, test } from 'vitest';
import { ContextExceeded, EngineError } from './engine-errors.ts';
import { deserializeEngineError, type EngineErrorKind } from './serialized-engine-error.ts';

test.each<[EngineErrorKind, string]>([
  ['corrupt', 'ModelCorrupt'],
  ['unsupported', 'ModelUnsupported'],
  ['memory', 'OutOfMemory'],
  ['refused', 'RequestRefused'],
  ['provider', 'ProviderUnusable'],
  ['crash', 'EngineCrashed'],
  ['device-lost', 'EngineCrashed'],
  ['request', 'EngineError'],
  ['aborted', 'EngineError'],
])('%s becomes %s', (kind, name) => {
  const error = deserializeEngineError({ kind, message: 'why' });
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ name, message: 'why' });
});

test('a full context carries its two numbers, and says them', () => {
  const error = deserializeEngineError({ kind: 'context', message: '', promptTokens: 9, contextLength: 8 });
  expect(error).toBeInstanceOf(ContextExceeded);
  expect(error).toMatchObject({
    promptTokens: 9,
    contextLength: 8,
    message: 'request (9 tokens) exceeds the available context size (8 tokens), try increasing it',
  });
});
