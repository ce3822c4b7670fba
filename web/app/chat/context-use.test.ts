import { expect, it } from 'vitest';
import { contextUse } from './context-use.ts';
import type { Turn } from './conversation.ts';

const turn = (more: Partial<Turn>): Turn => ({
  id: crypto.randomUUID(),
  conversation: 'c',
  role: 'assistant',
  content: '',
  state: 'done',
  at: 0,
  ...more,
});
const stats = { tokens: 20, nanoseconds: 1, device: '', promptTokens: 100 };

it('adds the prompt and the answer of the last counted turn, and the running answer', () => {
  expect(contextUse([turn({ stats })], 4096)).toEqual({ used: 120, size: 4096 });
  const running = turn({ state: 'running', live: { tokens: 5, milliseconds: 1 } });
  expect(contextUse([turn({ stats }), running], 4096)).toEqual({ used: 125, size: 4096 });
});

it('shows nothing before an answer was counted, or when the size is not known', () => {
  expect(contextUse([turn({})], 4096)).toBeUndefined();
  expect(contextUse([turn({ stats })], undefined)).toBeUndefined();
});
