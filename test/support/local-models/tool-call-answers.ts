/** Answers with tool calls in the notations of all model families. */
import type { ToolCall } from '#core/local-models/base/messages.ts';

/** The tools of the request. */
export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
          metric: { type: 'boolean' },
          note: { type: ['string', 'null'] },
          where: { type: 'object' },
        },
      },
    },
  },
  { type: 'function', function: { name: 'add' } },
];

/** A template of each family with the text by which the family is recognized. */
export const TEMPLATES = {
  hermes: 'return a json object within <tool_call></tool_call> tags',
  llama: '<|start_header_id|>{{ role }}<|end_header_id|>',
  mistral: '[AVAILABLE_TOOLS]{{ tools }}[/AVAILABLE_TOOLS] [TOOL_CALLS]',
  deepseek: "{{'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>'}}",
  gemma: '<start_of_turn>model\n',
  granite: '<|start_of_role|>assistant<|end_of_role|><|tool_call|>',
  command: '<|START_OF_TURN_TOKEN|><|START_ACTION|>',
  invoke: 'answer with <｜DSML｜function_calls>',
  olmo: 'answer with <function_calls></function_calls>',
  json: 'answer with JSON only',
};
export type Family = keyof typeof TEMPLATES;

/** A call of `get_weather`. */
export const weatherCall = (city: string): ToolCall => ({ name: 'get_weather', arguments: { city } });
/** A call without arguments. */
export const add: ToolCall = { name: 'add', arguments: {} };
const nested: ToolCall = {
  name: 'get_weather',
  arguments: { city: 'a "b" {c} [d] </tool_call> \\ é 🌧\n日本', where: { at: [1, { deep: null }] }, days: 2 },
};
/** The call as JSON. `key` names the field of the arguments. */
export const jsonCall = (call: ToolCall, key = 'arguments') =>
  JSON.stringify({ name: call.name, [key]: call.arguments });
/** A call in DeepSeek’s notation. */
const deepSeekCall = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;

/** An answer of a model, with the text for people and the calls that the answer contains. */
export type ToolCallAnswer = [family: Family, answer: string, text: string, calls: ToolCall[]];

export const toolCallAnswers: ToolCallAnswer[] = [
  // Hermes, Qwen 2.5 and 3
  ['hermes', `<tool_call>\n${jsonCall(weatherCall('Rome'))}\n</tool_call>`, '', [weatherCall('Rome')]],
  [
    'hermes',
    `Let me see.\n<tool_call>${jsonCall(add)}</tool_call>\n<tool_call>${jsonCall(add)}</tool_call>\n`,
    'Let me see.',
    [add, add],
  ],
  ['hermes', `<tool_call>${jsonCall(nested)}</tool_call>`, '', [nested]],
  ['hermes', `<tool_call>[${jsonCall(add)}, ${jsonCall(nested)}]</tool_call>`, '', [add, nested]],
  ['hermes', `<tool_call>${jsonCall(add)}</tool_call>\n\nDone.`, 'Done.', [add]],
  ['hermes', `<tool_call>${jsonCall(add)}`, '', [add]],
  ['hermes', 'a <tool> b < c', 'a <tool> b < c', []],
  ['hermes', '<tool_call>not json</tool_call> rest', '<tool_call>not json</tool_call> rest', []],
  [
    'hermes',
    '<tool_call>{"name": "add", "arguments": {</tool_call> rest',
    '<tool_call>{"name": "add", "arguments": {</tool_call> rest',
    [],
  ],
  ['hermes', `<tool_call>{broken} <tool_call>${jsonCall(add)}</tool_call>`, '<tool_call>{broken}', [add]],
  [
    'hermes',
    '<tool_call>{"name":"unknown","arguments":{}}</tool_call>',
    '<tool_call>{"name":"unknown","arguments":{}}</tool_call>',
    [],
  ],
  ['hermes', '<tool_call>{"name":"ad', '<tool_call>{"name":"ad', []],
  ['hermes', 'ends with space \n', 'ends with space \n', []],
  ['hermes', ' <tool_ca', ' <tool_ca', []],
  // Qwen3-Coder
  [
    'hermes',
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=tags>\n["a", "b"]\n</parameter>\n<parameter=metric>\nTrue\n</parameter>\n<parameter=note>\nnull\n</parameter>\n</function>\n</tool_call>',
    '',
    [
      {
        name: 'get_weather',
        arguments: { city: 'Paris', days: 3, tags: ['a', 'b'], metric: true, note: null },
      },
    ],
  ],
  [
    'hermes',
    'I look.\n<function=get_weather>\n<parameter=city>\n<b>5</b>\n</parameter> inside\n\n</parameter>\n</function>',
    'I look.',
    [weatherCall('<b>5</b>\n</parameter> inside\n')],
  ],
  ['hermes', '<tool_call>\n<function=add>\n</function>\n</tool_call>', '', [add]],
  [
    'hermes',
    '<tool_call>\n<function=nope>\n</function>\n</tool_call>',
    '<tool_call>\n<function=nope>\n</function>\n</tool_call>',
    [],
  ],
  [
    'hermes',
    '<tool_call>\n<function=add>\n<parameter=x>\n1',
    '<tool_call>\n<function=add>\n<parameter=x>\n1',
    [],
  ],
  // GLM 4.5
  [
    'hermes',
    '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>北京</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
    '',
    [{ name: 'get_weather', arguments: { city: '北京', days: 2 } }],
  ],
  // Llama 3.x and 4
  ['llama', jsonCall(weatherCall('Paris'), 'parameters'), '', [weatherCall('Paris')]],
  [
    'llama',
    `${jsonCall(add, 'parameters')}; ${jsonCall(weatherCall('x'), 'parameters')}`,
    '',
    [add, weatherCall('x')],
  ],
  ['llama', `<|python_tag|>${jsonCall(nested, 'parameters')}<|eom_id|>`, '', [nested]],
  ['llama', '<|python_tag|>get_weather.call(city="Oslo")', '', [weatherCall('Oslo')]],
  ['llama', '<function=get_weather>{"city": "Rome"}</function>', '', [weatherCall('Rome')]],
  [
    'llama',
    "[get_weather(city='O\\'Hare', days=-1, tags=['a', \"b\"], where={'x': None, 'y': (1.5, True)})]",
    '',
    [
      {
        name: 'get_weather',
        arguments: { city: "O'Hare", days: -1, tags: ['a', 'b'], where: { x: null, y: [1.5, true] } },
      },
    ],
  ],
  ['llama', '[get_weather("Bonn"), add()]', '', [weatherCall('Bonn'), add]],
  ['llama', '<|python_start|>[add()]<|python_end|>', '', [add]],
  ['llama', '[1, 2, 3] is a list', '[1, 2, 3] is a list', []],
  ['llama', '[add(', '[add(', []],
  ['llama', 'I would call [add()]', 'I would call [add()]', []],
  ['llama', '<|python_tag|>print("hi")', '<|python_tag|>print("hi")', []],
  [
    'llama',
    '<|tool_call_start|>[get_weather(city="Oslo"), add()]<|tool_call_end|>Well.',
    'Well.',
    [weatherCall('Oslo'), add],
  ],
  // OLMo 3
  [
    'olmo',
    '<function_calls>get_weather(city="Paris", days=2)</function_calls>',
    '',
    [{ name: 'get_weather', arguments: { city: 'Paris', days: 2 } }],
  ],
  [
    'olmo',
    'I look.\n<function_calls>\nadd()\nget_weather(city="a\\nb")\n</function_calls>\nSo.',
    'I look.So.',
    [add, weatherCall('a\nb')],
  ],
  ['olmo', '<function_calls>add()', '', [add]],
  ['olmo', '<function_calls>nope()</function_calls>', '<function_calls>nope()</function_calls>', []],
  [
    'olmo',
    '<function_calls>add() and more</function_calls>',
    '<function_calls>add() and more</function_calls>',
    [],
  ],
  ['olmo', '<function_calls></function_calls>', '<function_calls></function_calls>', []],
  // Mistral
  ['mistral', `[TOOL_CALLS][${jsonCall(weatherCall('Paris'))}]`, '', [weatherCall('Paris')]],
  [
    'mistral',
    `[TOOL_CALLS] [{"name": "add", "arguments": {}, "id": "abc123def"}, ${jsonCall(nested)}]`,
    '',
    [add, nested],
  ],
  [
    'mistral',
    `Right away.[TOOL_CALLS]get_weather[ARGS]{"city": "Nice"}[TOOL_CALLS]add[ARGS]{}`,
    'Right away.',
    [weatherCall('Nice'), add],
  ],
  ['mistral', '[TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Nice"}', '', [weatherCall('Nice')]],
  ['mistral', '[TOOL_CALLS]nope[ARGS]{}', '[TOOL_CALLS]nope[ARGS]{}', []],
  ['mistral', '[TOOL_CALLS]add[ARGS]{"a": ', '[TOOL_CALLS]add[ARGS]{"a": ', []],
  // DeepSeek R1 and V3, then V3.1
  [
    'deepseek',
    `<｜tool▁calls▁begin｜>${deepSeekCall('function', 'get_weather\n```json\n{"city": "Paris"}\n```')}\n${deepSeekCall('function', 'add\n```json\n{}\n```')}<｜tool▁calls▁end｜>`,
    '',
    [weatherCall('Paris'), add],
  ],
  [
    'deepseek',
    `Yes.<｜tool▁calls▁begin｜>${deepSeekCall('get_weather', JSON.stringify(nested.arguments))}${deepSeekCall('add', '{}')}<｜tool▁calls▁end｜>`,
    'Yes.',
    [nested, add],
  ],
  [
    'deepseek',
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>add\n```json\n{}\n```<｜tool_call_end｜><｜tool_calls_end｜>',
    '',
    [add],
  ],
  [
    'deepseek',
    `<｜tool▁calls▁begin｜>${deepSeekCall('nope', '{}')}`,
    `<｜tool▁calls▁begin｜>${deepSeekCall('nope', '{}')}`,
    [],
  ],
  [
    'deepseek',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a"',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a"',
    [],
  ],
  // DeepSeek V3.2 and V4, MiniMax M2
  [
    'invoke',
    'Yes.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">12</｜DSML｜parameter>\n<｜DSML｜parameter name="tags" string="false">["<b>"]</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name="add">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    'Yes.',
    [{ name: 'get_weather', arguments: { city: '12', tags: ['<b>'] } }, add],
  ],
  [
    'invoke',
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Nice</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
    '',
    [{ name: 'get_weather', arguments: { city: 'Nice', days: 2 } }],
  ],
  [
    'invoke',
    '<｜DSML｜tool_calls><｜DSML｜invoke name="nope"></｜DSML｜invoke>',
    '<｜DSML｜tool_calls><｜DSML｜invoke name="nope"></｜DSML｜invoke>',
    [],
  ],
  [
    'invoke',
    '<｜DSML｜tool_calls><｜DSML｜invoke name="add">',
    '<｜DSML｜tool_calls><｜DSML｜invoke name="add">',
    [],
  ],
  // Gemma 3, FunctionGemma, Gemma 4
  ['gemma', '```tool_code\nget_weather(city="Paris")\nprint(add())\n```', '', [weatherCall('Paris'), add]],
  [
    'gemma',
    'Sure:\n```tool_code\n[add(), get_weather(city="x")]\n```\nThere.',
    'Sure:There.',
    [add, weatherCall('x')],
  ],
  ['gemma', `\`\`\`json\n${jsonCall(weatherCall('Bern'), 'parameters')}\n\`\`\``, '', [weatherCall('Bern')]],
  ['gemma', '[get_weather(city="Paris")]', '', [weatherCall('Paris')]],
  [
    'gemma',
    '<start_function_call>call:get_weather{city:<escape>a "b", {c}<escape>,days:3,tags:[<escape>x<escape>,<escape>y<escape>],where:{on:true,at:null}}<end_function_call>',
    '',
    [
      {
        name: 'get_weather',
        arguments: { city: 'a "b", {c}', days: 3, tags: ['x', 'y'], where: { on: true, at: null } },
      },
    ],
  ],
  [
    'gemma',
    '<|tool_call>call:get_weather{city:<|"|>Köln<|"|>}<tool_call|><|tool_call>call:add{}<tool_call|>',
    '',
    [weatherCall('Köln'), add],
  ],
  ['gemma', '```python\nprint("hello")\n```', '```python\nprint("hello")\n```', []],
  ['gemma', '<|tool_call>call:nope{}<tool_call|>', '<|tool_call>call:nope{}<tool_call|>', []],
  ['gemma', '<start_function_call>call:add{a:<escape>cut', '<start_function_call>call:add{a:<escape>cut', []],
  // Granite 3, Phi-4-mini, Granite 4
  [
    'granite',
    `<|tool_call|>[${jsonCall(weatherCall('Paris'))}, ${jsonCall(add)}]`,
    '',
    [weatherCall('Paris'), add],
  ],
  ['granite', `<|tool_call|>[${jsonCall(nested)}]<|/tool_call|>`, '', [nested]],
  ['granite', `<tool_call>${jsonCall(add)}</tool_call>`, '', [add]],
  ['granite', '<|tool_call|>[]', '<|tool_call|>[]', []],
  ['granite', '<|tool_call|>[{"name": "add"', '<|tool_call|>[{"name": "add"', []],
  // Command
  [
    'command',
    '<|START_ACTION|>[\n{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}\n]<|END_ACTION|>',
    '',
    [weatherCall('Paris')],
  ],
  ['command', 'Action: ```json\n[{"tool_name": "add", "parameters": {}}]```', '', [add]],
  [
    'command',
    '<|START_ACTION|>[{"tool_name": "x"}]<|END_ACTION|>',
    '<|START_ACTION|>[{"tool_name": "x"}]<|END_ACTION|>',
    [],
  ],
  // Models without a notation of their own
  ['json', jsonCall(weatherCall('Paris')), '', [weatherCall('Paris')]],
  ['json', ` \n${jsonCall(nested, 'parameters')}\n`, '', [nested]],
  [
    'json',
    '{"type":"function","function":{"name":"add","parameters":{"a":1}}}',
    '',
    [{ name: 'add', arguments: { a: 1 } }],
  ],
  ['json', `[${jsonCall(add)},${jsonCall(weatherCall('x'))}]`, '', [add, weatherCall('x')]],
  ['json', `${jsonCall(add)}\n${jsonCall(add)}`, '', [add, add]],
  ['json', `{"tool_calls": [${jsonCall(add)}]}`, '', [add]],
  ['json', `\`\`\`json\n${jsonCall(add)}\n\`\`\``, '', [add]],
  ['json', '{"name":"add"}; and then text', 'and then text', [add]],
  ['json', '{"name":"unknown","arguments":{}}', '{"name":"unknown","arguments":{}}', []],
  ['json', '{"answer": 4} is it', '{"answer": 4} is it', []],
  ['json', '{"name": "get_weather", "argum', '{"name": "get_weather", "argum', []],
  [
    'json',
    'The capital is {"name":"add","arguments":{}}',
    'The capital is {"name":"add","arguments":{}}',
    [],
  ],
  ['json', '{"name":"add","arguments":"{\\"a\\":1}"}', '', [{ name: 'add', arguments: { a: 1 } }]],
];
