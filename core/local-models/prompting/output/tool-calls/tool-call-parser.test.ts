import { describe, expect, test } from 'vitest';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import {
  add,
  type Family,
  jsonCall,
  TEMPLATES,
  TOOLS,
  toolCallAnswers,
} from '#test/support/local-models/tool-call-answers.ts';
import { toolCallParser } from './families.ts';

/** Parses a text that arrives in pieces. `order` has a `t` for each stretch of text and a `c` for each call. */
function parse(template: string, pieces: string[]) {
  const parser = toolCallParser(template, TOOLS);
  const out = { text: '', calls: [] as ToolCall[], order: '' };
  const take = (events: ReturnType<typeof parser.push>) => {
    for (const event of events) {
      if ('text' in event) {
        out.text += event.text;
        if (!out.order.endsWith('t')) out.order += 't';
      } else {
        out.calls.push(...event.calls);
        out.order += 'c'.repeat(event.calls.length);
      }
    }
  };
  for (const piece of pieces) take(parser.push(piece));
  take(parser.end());
  return out;
}

describe.each(Object.keys(TEMPLATES) as Family[])('%s', (family) => {
  const template = TEMPLATES[family];

  test.each(toolCallAnswers.filter(([of]) => of === family))('%s: %j', (_, answer, text, calls) => {
    const atOnce = parse(template, [answer]);
    expect(atOnce.text).toBe(text);
    expect(atOnce.calls).toEqual(calls);
    // The result does not depend on where the stream is cut into tokens.
    for (let at = 1; at < answer.length; at++) {
      expect([at, parse(template, [answer.slice(0, at), answer.slice(at)])]).toEqual([at, atOnce]);
    }
    expect(parse(template, [...answer])).toEqual(atOnce);
    for (const size of [2, 3, 5, 7]) {
      const pieces = answer.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      expect([size, parse(template, pieces)]).toEqual([size, atOnce]);
    }
  });

  test('returns everything that is no call as text', () => {
    // Beginnings of all forms in a random order.
    const parts = toolCallAnswers.map(([, answer]) => answer);
    const random = generator(7);
    for (let run = 0; run < 200; run++) {
      const answer = Array.from({ length: 3 }, () => {
        const part = parts[Math.floor(random() * parts.length)]!;
        return part.slice(0, Math.floor(random() * part.length));
      }).join(' ');
      const atOnce = parse(template, [answer]);
      if (atOnce.calls.length === 0) expect(atOnce.text).toBe(answer);
      expect(parse(template, [...answer])).toEqual(atOnce);
    }
  });
});

/** Pseudo-random numbers from 0 to 1, the same in each run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('calls after the tag that a Go template writes before calls are found', () => {
  const template =
    '{{ range .Messages }}{{ if .ToolCalls }}<call>{{ range .ToolCalls }}{"name": "{{ .Function.Name }}"}{{ end }}{{ end }}{{ end }}';
  const parsed = parse(template, [`Well, <call>${jsonCall(add)}</call>`]);
  expect(parsed).toMatchObject({ text: 'Well,', calls: [add] });
});

test('text that may begin a call is held back until that is decided', () => {
  const parser = toolCallParser(TEMPLATES.hermes, TOOLS);
  expect(parser.push('Hello')).toEqual([{ text: 'Hello' }]);
  expect(parser.push(' <tool_')).toEqual([]);
  expect(parser.push('box>')).toEqual([{ text: ' <tool_box>' }]);
});

test('the time for a very long call is in proportion to its length', () => {
  const content = 'if (a) { b[0] = "x"; }\n'.repeat(8000);
  const answer = `<tool_call>${JSON.stringify({ name: 'add', arguments: { content } })}</tool_call>`;
  const pieces = answer.match(/[\s\S]{1,4}/g)!;
  const before = performance.now();
  expect(parse(TEMPLATES.hermes, pieces).calls).toEqual([{ name: 'add', arguments: { content } }]);
  expect(performance.now() - before).toBeLessThan(10_000);
});

test('endlessly nested brackets are text', () => {
  for (const open of ['[', '{"a":', '[add(a=[', '<|tool_call>call:add{a:{']) {
    const answer = open + '[{'.repeat(50_000);
    for (const template of Object.values(TEMPLATES)) expect(parse(template, [answer]).text).toBe(answer);
  }
});
