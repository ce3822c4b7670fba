/** Small conversations that reveal which parts of a conversation a template prints. */
import type { Message, Tool } from '#core/local-models/base/messages.ts';

const QUESTION: Message = { role: 'user', content: 'probe-question' };

export const SYSTEM_PROBE: Message[] = [{ role: 'system', content: 'probe-system' }, QUESTION];
export const CALL_PROBE: Message[] = [
  QUESTION,
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'probeid01', name: 'probe_tool', arguments: { 'probe-argument': 'probe-value' } }],
  },
];
export const RESULT_PROBE: Message[] = [
  ...CALL_PROBE,
  { role: 'tool', content: 'probe-result', toolName: 'probe_tool', toolCallId: 'probeid01' },
];
export const PROBE_TOOL: Tool = {
  type: 'function',
  function: {
    name: 'probe_tool',
    description: '',
    parameters: { type: 'object', properties: {}, required: [] },
  },
};
