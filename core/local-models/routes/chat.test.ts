import { expect, test } from 'vitest';
import { chatPrinter } from './chat.ts';

const call = (name: string) => ({ id: name, name, arguments: {} });
const statistics = {
  totalDuration: 1,
  loadDuration: 1,
  promptEvalCount: 1,
  promptEvalDuration: 1,
  evalCount: 1,
  evalDuration: 1,
};
const wire = (name: string, index: number) => ({ id: name, function: { index, name, arguments: {} } });

test('prints tool calls in lines of their own, or with the end', () => {
  const printer = chatPrinter('m', () => 0);
  expect(printer.event({ type: 'tool-calls', calls: [call('a')] })).toMatchObject({
    message: { content: '', tool_calls: [wire('a', 0)] },
    done: false,
  });
  expect(printer.event({ type: 'tool-calls', calls: [call('b')], withEnd: true })).toBeUndefined();
  expect(printer.event({ type: 'tool-calls', calls: [call('c')], withEnd: true })).toBeUndefined();
  expect(printer.event({ type: 'done', reason: 'stop', statistics })).toMatchObject({
    message: { content: '', tool_calls: [wire('b', 1), wire('c', 2)] },
    done: true,
    done_reason: 'stop',
  });
});
