import { expect, test } from 'vitest';
import { toolCallId } from './tool-call-id.ts';

test('ids have the format of Ollama, with and without a native template', () => {
  expect(toolCallId(false)).toMatch(/^call_[a-z0-9]{8}$/);
  expect(toolCallId(true)).toMatch(/^[A-Za-z0-9]{32}$/);
});
