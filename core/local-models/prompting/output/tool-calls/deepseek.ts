/**
 * DeepSeek's tokens for calls. R1 and V3 write `function<｜tool▁sep｜>name` and the arguments in a code fence; V3.1 and
 * later write `name<｜tool▁sep｜>{…}`. Distilled models spell the tokens in several ways.
 */
import type { ToolCall } from '#core/local-models/base/messages.ts';
import type { Cursor } from './cursor.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import { toToolCall } from './read-call.ts';
import type { RequestTools } from './request-tools.ts';

const spellings = (words: string) =>
  ['▁', '_', ' ', '\\_'].flatMap((space) => {
    const text = words.replaceAll(' ', space);
    return [`<｜${text}｜>`, `<|${text}|>`];
  });

const CALLS_BEGIN = spellings('tool calls begin');
const CALLS_END = spellings('tool calls end');
const CALL_BEGIN = spellings('tool call begin');
const CALL_END = spellings('tool call end');
const SEPARATOR = spellings('tool sep');

const forms: CallForm[] = [
  ...CALLS_BEGIN.map((open) => ({
    open,
    read(cursor: Cursor, tools: RequestTools) {
      const calls: ToolCall[] = [];
      for (;;) {
        cursor.space();
        const hasNext = cursor.anyWord(CALL_BEGIN);
        if (!hasNext && calls.length > 0) {
          cursor.anyWord(CALLS_END);
          return calls;
        }
        const call = readCall(cursor, tools);
        if (!call) return undefined;
        calls.push(call);
      }
    },
  })),
  ...CALL_BEGIN.map((open) => ({
    open,
    read(cursor: Cursor, tools: RequestTools) {
      const call = readCall(cursor, tools);
      return call && [call];
    },
  })),
];

function readCall(cursor: Cursor, tools: RequestTools): ToolCall | undefined {
  cursor.space();
  let name = cursor.name();
  if (!cursor.anyWord(SEPARATOR)) return undefined;
  if (!tools.has(name) || cursor.peek() !== '{') {
    cursor.space();
    if (name === 'function' && cursor.peek() !== '{') name = cursor.name();
  }
  cursor.space();
  const fence = cursor.word('```');
  if (fence) {
    cursor.word('json');
    cursor.space();
  }
  const json = cursor.json();
  cursor.space();
  if (json === undefined || (fence && !cursor.word('```') && !cursor.ended)) return undefined;
  cursor.skipAny(CALL_END);
  return toToolCall(name, json, tools);
}

export const deepseek: ToolCallFamily = {
  name: 'deepseek',
  matches: (template) => [...CALLS_BEGIN, ...CALL_BEGIN].some((word) => template.includes(word)),
  forms,
};
