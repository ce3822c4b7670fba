/** Tool calls in the texts of models. */
import { toolCallParser } from '#core/local-models/prompting/output/tool-calls/families.ts';
import { fuzzTarget, requireEqual, textOf } from '../target.ts';

const PARSERS = ['qwen3', 'llama', 'mistral', 'gemma', 'deepseek', 'granite', 'command', 'olmo', ''];
const TOOL = {
  name: 'f',
  description: '',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } },
};

export default fuzzTarget({
  invariant: 'the pieces do not depend on how the text is streamed',
  seeds: () => [
    '0<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>',
    '1<|python_tag|>f(a=1, b="x")',
    '2[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}}]',
    '3call:f{a:1,b:<|"|>x<|"|>}',
    '4<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```<｜tool▁call▁end｜>',
    '6<|START_ACTION|>[{"tool_name":"f","parameters":{}}]<|END_ACTION|>',
    '8{"name": "f", "parameters": {"a": [1, {"b": null}]}}',
  ],
  refusals: [],
  maxBytes: 400,
  run(input) {
    const text = textOf(input);
    const parser = PARSERS[(text.codePointAt(0) ?? 0) % PARSERS.length]!;
    const answer = text.slice(1);
    const complete = answerOf(parser, [answer]);
    requireEqual('streaming changes nothing', answerOf(parser, answer.match(/.{1,3}/gsu) ?? []), complete);
  },
});

/** The calls without their random ids, and all text. */
function answerOf(parserName: string, pieces: string[]): unknown {
  const parser = toolCallParser('', [TOOL] as never, parserName);
  const found = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
  return {
    text: found.map((piece) => ('text' in piece ? piece.text : '')).join(''),
    calls: found.flatMap((piece) =>
      'calls' in piece ? piece.calls.map(({ name, arguments: args }) => ({ name, args })) : [],
    ),
  };
}
