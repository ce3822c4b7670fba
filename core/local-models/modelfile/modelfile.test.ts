import { describe, expect, it } from 'vitest';
import { parseModelfile } from './parse-modelfile.ts';
import { planModelfile } from './plan-modelfile.ts';

const COMMANDS =
  'command must be one of "from", "license", "template", "system", "adapter", "draft", "renderer", "parser", "parameter", "message", or "requires"';

describe('parseModelfile', () => {
  it.each<[string, string, [string, string][]]>([
    ['a bare value', 'FROM smollm2:135m', [['from', 'smollm2:135m']]],
    [
      'any case',
      'from a\nSyStEm b',
      [
        ['from', 'a'],
        ['system', 'b'],
      ],
    ],
    ['spaces around', '  FROM \t a b  \n', [['from', 'a b']]],
    ['comments and empty lines', '# one\n\n  # two\nFROM a # stays\n', [['from', 'a # stays']]],
    [
      'a byte order mark and CRLF',
      '\uFEFFFROM a\r\nSYSTEM b\r\n',
      [
        ['from', 'a'],
        ['system', 'b'],
      ],
    ],
    [
      'quotes',
      'FROM a\nSYSTEM "b  c"',
      [
        ['from', 'a'],
        ['system', 'b  c'],
      ],
    ],
    [
      'quotes within',
      'FROM a\nSYSTEM say "b"',
      [
        ['from', 'a'],
        ['system', 'say "b"'],
      ],
    ],
    [
      'an empty value in quotes',
      'FROM a\nSYSTEM ""',
      [
        ['from', 'a'],
        ['system', ''],
      ],
    ],
    [
      'quotes over several lines',
      'FROM a\nSYSTEM "b\nc"',
      [
        ['from', 'a'],
        ['system', 'b\nc'],
      ],
    ],
    [
      'three quotes',
      'FROM a\nTEMPLATE """{{ .System }}\n"x" # no comment\n  FROM b\n"""\nSYSTEM c',
      [
        ['from', 'a'],
        ['template', '{{ .System }}\n"x" # no comment\n  FROM b\n'],
        ['system', 'c'],
      ],
    ],
    [
      'three quotes on one line',
      'FROM a\nLICENSE """MIT"""',
      [
        ['from', 'a'],
        ['license', 'MIT'],
      ],
    ],
    [
      'no value after a space',
      'FROM a\nSYSTEM \nLICENSE b',
      [
        ['from', 'a'],
        ['system', ''],
        ['license', 'b'],
      ],
    ],
    ['control characters are dropped', 'FROM a\u0000\u200b', [['from', 'a']]],
    [
      'other scripts',
      'FROM a\nSYSTEM """大きい 🙂"""',
      [
        ['from', 'a'],
        ['system', '大きい 🙂'],
      ],
    ],
    [
      'several FROM',
      'FROM a\nFROM b',
      [
        ['from', 'a'],
        ['from', 'b'],
      ],
    ],
  ])('%s', (_what, text, expected) => {
    expect(parseModelfile(text).map(({ name, value }) => [name, value])).toEqual(expected);
  });

  it('splits the name off a parameter and the role off a message', () => {
    expect(parseModelfile('FROM a\nPARAMETER stop "<|x|>"\nMESSAGE user """Hi\nthere"""')).toEqual([
      { name: 'from', value: 'a', line: 1 },
      { name: 'parameter', subject: 'stop', value: '<|x|>', line: 2 },
      { name: 'message', subject: 'user', value: 'Hi\nthere', line: 3 },
    ]);
  });

  it.each([
    ['', 'no FROM line'],
    ['SYSTEM hello', 'no FROM line'],
    ['FROM a\nBADCOMMAND x', `(line 2): ${COMMANDS}`],
    ['# c\n\nFROM a\n\nSYSTEM """b\nc"""\nPROMPT x', `(line 7): ${COMMANDS}`],
    ['FROM', `(line 1): ${COMMANDS}`],
    ['FROM=a', `(line 1): ${COMMANDS}`],
    ['123', `(line 1): ${COMMANDS}`],
    ['FROM a\nMESSAGE badguy hi', '(line 2): message role must be one of "system", "user", or "assistant"'],
    ['FROM a\nMESSAGE User hi', '(line 2): message role must be one of "system", "user", or "assistant"'],
    ['FROM a\nPARAMETER num_ctx', '(line 2): parameter num_ctx has no value'],
    ['FROM a\nPARAMETER num-ctx 1', "(line 2): 'num-ctx' is no name of a parameter"],
    ['FROM a\nSYSTEM """b', '(line 2): unexpected EOF: the value of SYSTEM lacks its closing quotes'],
    ['FROM a\nSYSTEM "b\n\n', '(line 2): unexpected EOF: the value of SYSTEM lacks its closing quotes'],
    ['FROM a\nSYSTEM \n\n"""', `(line 4): ${COMMANDS}`],
  ])('refuses %j', (text, message) => {
    expect(() => parseModelfile(text)).toThrow(expect.objectContaining({ message }));
  });

  it('parses a long value in linear time', () => {
    const licence = 'a line of a licence\n'.repeat(50_000);
    const started = performance.now();
    expect(parseModelfile(`FROM a\nLICENSE """${licence}"""`)[1]!.value).toBe(licence);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('planModelfile', () => {
  it('returns the fields of a create request', () => {
    const plan = planModelfile(`FROM ./model.gguf
FROM ./mmproj.gguf
ADAPTER ~/lora.gguf
TEMPLATE {{ .Prompt }}
SYSTEM You are a pirate.
LICENSE MIT
LICENSE """Apache
2.0"""
PARAMETER temperature 0.5
PARAMETER num_ctx 2048
PARAMETER use_mmap false
PARAMETER stop <a>
PARAMETER stop "<b>"
MESSAGE user Hello
MESSAGE assistant Ahoy: there
RENDERER qwen3
PARSER qwen3
REQUIRES v0.14.0`);
    expect(plan).toEqual({
      from: ['./model.gguf', './mmproj.gguf'],
      adapters: ['~/lora.gguf'],
      drafts: [],
      fields: {
        template: '{{ .Prompt }}',
        system: 'You are a pirate.',
        license: ['MIT', 'Apache\n2.0'],
        parameters: { temperature: 0.5, num_ctx: 2048, use_mmap: false, stop: ['<a>', '<b>'] },
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Ahoy: there' },
        ],
        renderer: 'qwen3',
        parser: 'qwen3',
        requires: '0.14.0',
      },
      warnings: [],
    });
  });

  it('leaves out fields without an instruction', () => {
    expect(planModelfile('FROM a').fields).toEqual({});
  });

  it('warns about deprecated parameters and leaves them out', () => {
    const plan = planModelfile('FROM a\nPARAMETER mirostat 1\nPARAMETER seed 7');
    expect(plan.fields.parameters).toEqual({ seed: 7 });
    expect(plan.warnings).toEqual(['parameter mirostat is deprecated and has no effect']);
  });

  it.each([
    ['PARAMETER constructor 1', "unknown parameter 'constructor'"],
    ['PARAMETER tempreature 1', "unknown parameter 'tempreature'"],
    ['PARAMETER num_ctx many', 'invalid int value [many]'],
    ['PARAMETER num_ctx 1.5', 'invalid int value [1.5]'],
    ['PARAMETER temperature warm', 'invalid float value [warm]'],
    ['PARAMETER use_mmap maybe', 'invalid bool value [maybe]'],
    ['REQUIRES soon', 'requires must be a valid semver (e.g. 0.14.0)'],
  ])('refuses %s', (line, message) => {
    expect(() => planModelfile(`FROM a\n${line}`)).toThrow(expect.objectContaining({ message }));
  });
});
