import { describe, expect, test } from 'vitest';
import { GoStruct, GoTemplate, toTemplateValue, withJson } from './index.ts';

const data = toTemplateValue({
  Name: 'Ada',
  Empty: '',
  Zero: 0,
  Three: 3,
  Half: 0.5,
  Yes: true,
  No: false,
  None: null,
  List: ['a', 'b', 'c'],
  Nothing: [],
  Map: { b: 2, a: 1 },
  Deep: { Inner: { Word: 'x' } },
  Html: '<b>&',
});

const render = (template: string, values = data) => new GoTemplate(template).execute(values);

describe('prints as Go does', () => {
  test.each([
    ['plain text', 'plain text'],
    ['{{ .Name }}', 'Ada'],
    ['{{.Name}}', 'Ada'],
    ['a {{- .Name -}} b', 'aAdab'],
    ['a\n\n{{- "x" -}}\n\nb', 'axb'],
    ['a {{/* gone */}} b', 'a  b'],
    ['a {{- /* gone */ -}} b', 'ab'],
    ['{{ .Missing }}', '<no value>'],
    ['{{ .None }}', '<no value>'],
    ['{{ .List }}', '[a b c]'],
    ['{{ .Map }}', 'map[a:1 b:2]'],
    ['{{ .Deep.Inner.Word }}', 'x'],
    ['{{ (.Deep).Inner.Word }}', 'x'],
    ['{{ $.Name }}', 'Ada'],
    ['{{ .Half }} {{ .Yes }} {{ -3 }} {{ 0x10 }} {{ 1_000 }}', '0.5 true -3 16 1000'],
    ['{{ "q\\"\\n\\u00e9" }}', 'q"\né'],
    ['{{ `raw\\n` }}', 'raw\\n'],
    ["{{ 'a' }}", '97'],
    ['{{ true }}{{ false }}', 'truefalse'],
    ['{{ .Html }}', '<b>&'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('branches', () => {
  test.each([
    ['{{ if .Yes }}y{{ else }}n{{ end }}', 'y'],
    ['{{ if .Empty }}y{{ else }}n{{ end }}', 'n'],
    ['{{ if .Zero }}y{{ else if .Three }}3{{ else }}n{{ end }}', '3'],
    ['{{ if .Nothing }}y{{ end }}', ''],
    ['{{ if not .Nothing }}y{{ end }}', 'y'],
    ['{{ with .Name }}{{ . }}{{ end }}', 'Ada'],
    ['{{ with .Empty }}{{ . }}{{ else }}{{ .Name }}{{ end }}', 'Ada'],
    ['{{ with .Empty }}1{{ else with .Name }}{{ . }}{{ end }}', 'Ada'],
    ['{{ with $x := .Three }}{{ $x }}{{ end }}', '3'],
    ['{{ if and .Yes .Name }}{{ end }}{{ and .Yes .Name }}', 'Ada'],
    ['{{ or .Empty .Name }}', 'Ada'],
    ['{{ and .Empty (index .List 99) }}', ''],
    ['{{ or .Name (index .List 99) }}', 'Ada'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('loops', () => {
  test.each([
    ['{{ range .List }}{{ . }}{{ end }}', 'abc'],
    ['{{ range $x := .List }}{{ $x }}{{ end }}', 'abc'],
    ['{{ range $i, $x := .List }}{{ $i }}{{ $x }}{{ end }}', '0a1b2c'],
    ['{{ range $k, $v := .Map }}{{ $k }}={{ $v }};{{ end }}', 'a=1;b=2;'],
    ['{{ range .Nothing }}x{{ else }}none{{ end }}', 'none'],
    ['{{ range .List }}{{ if eq . "b" }}{{ continue }}{{ end }}{{ . }}{{ end }}', 'ac'],
    ['{{ range .List }}{{ if eq . "b" }}{{ break }}{{ end }}{{ . }}{{ end }}', 'a'],
    ['{{ range 3 }}{{ . }}{{ end }}', '012'],
    ['{{ $n := 0 }}{{ range .List }}{{ $n = . }}{{ end }}{{ $n }}', 'c'],
    ['{{ range .List }}{{ $.Name }}{{ end }}', 'AdaAdaAda'],
    ['{{ range $i, $_ := .List }}{{ if eq (len (slice $.List $i)) 1 }}last{{ end }}{{ end }}', 'last'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('functions', () => {
  test.each([
    ['{{ len .List }}{{ len "é" }}{{ len .Map }}', '322'],
    ['{{ index .List 1 }}{{ index .Map "a" }}', 'b1'],
    ['{{ slice .List 1 }}{{ slice "hello" 1 3 }}', '[b c]el'],
    [
      '{{ printf "%s-%d-%v-%q-%5.2f|%-4s|%04d|%x|%t|%%" "a" 1 true "b" 3.14159 "c" 7 255 false }}',
      'a-1-true-"b"- 3.14|c   |0007|ff|false|%',
    ],
    ['{{ printf "%d" "x" }}', '%!d(string=x)'],
    ['{{ printf "%s" }}', '%!s(MISSING)'],
    ['{{ print 1 2 "a" 3 }}', '1 2a3'],
    ['{{ println "a" 1 }}', 'a 1\n'],
    ['{{ .Html | html }}', '&lt;b&gt;&amp;'],
    ['{{ "a b&" | urlquery }}', 'a+b%26'],
    ['{{ .List | len | printf "%d!" }}', '3!'],
    ['{{ eq .Three 3 }}{{ eq .Name "x" "Ada" }}{{ ne .Three 4 }}', 'truetruetrue'],
    ['{{ lt 1 2 }}{{ le 2 2 }}{{ gt 1 2 }}{{ ge "b" "a" }}', 'truetruefalsetrue'],
    ['{{ eq .None nil }}', 'true'],
    ['{{ define "hi" }}<{{ . }}>{{ end }}{{ template "hi" .Name }}', '<Ada>'],
    ['{{ block "b" .Three }}[{{ . }}]{{ end }}', '[3]'],
  ])('%s', (template, text) => {
    expect(render(template)).toBe(text);
  });
});

describe('errors have the texts of text/template', () => {
  test.each([
    ['{{ .Prompt', 'template: :1: unclosed action'],
    ['a\n{{ .Prompt', 'template: :2: unclosed action'],
    ['{{ if }}{{ end }}', 'template: :1: missing value for if'],
    ['{{ nope }}', 'template: :1: function "nope" not defined'],
    ['{{ end }}', 'template: :1: unexpected {{end}}'],
    ['{{ if .A }}', 'template: :1: unexpected EOF'],
    ['{{ $x }}', 'template: :1: undefined variable "$x"'],
    ['{{ "a }}', 'template: :1: unterminated quoted string'],
    ['{{/* a', 'template: :1: unclosed comment'],
    ['{{ (1 }}', 'template: :1: unclosed left paren'],
    ['{{ 1) }}', 'template: :1: unexpected right paren'],
    ['{{ 3x }}', 'template: :1: bad number syntax: "3x"'],
    ['{{ # }}', 'template: :1: unexpected "#" in command'],
    ['{{ é§ }}', "template: :1: bad character U+00A7 '§'"],
    ["{{ 'ab' }}", "template: :1: malformed character constant: 'ab'"],
    ['{{ . | 3 }}', 'template: :1: non executable command in pipeline stage 2'],
    ['{{ break }}', 'template: :1: {{break}} outside {{range}}'],
  ])('%s', (template, message) => {
    expect(() => new GoTemplate(template)).toThrow(message);
  });

  test.each([
    ['{{ index .List 9 }}', 'index out of range: 9'],
    ['{{ .Name.Foo }}', "can't evaluate field Foo in type string"],
    ['{{ .Missing.Foo }}', 'nil pointer evaluating interface {}.Foo'],
    ['{{ range .Name }}{{ end }}', "range can't iterate over Ada"],
    ['{{ eq 1 "a" }}', 'incompatible types for comparison: int and string'],
    ['{{ len 1 2 }}', 'wrong number of args for len: want 1 got 2'],
    ['{{ nil }}', 'nil is not a command'],
    ['{{ template "none" }}', 'template "none" not defined'],
    ['{{ len 3 }}', 'len of type int'],
  ])('%s', (template, message) => {
    expect(() => render(template)).toThrow(message);
  });
});

test('an endless template exceeds a limit', () => {
  const nested = '{{ range 9999 }}'.repeat(4) + '{{ end }}'.repeat(4);
  // On a busy machine the time limit comes before the limit of steps.
  expect(() => render(nested)).toThrow(/too (many steps|long)/);
  expect(() => render(`{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}`)).toThrow(
    'exceeded maximum template depth',
  );
  expect(() => new GoTemplate('{{ if .A }}'.repeat(5000) + '{{ end }}'.repeat(5000))).toThrow(
    'too deeply nested',
  );
});

test.each([
  ['{{ $x := "ab" }}{{ range 60 }}{{ $x = print $x $x }}{{ end }}{{ len $x }}', 'too much text'],
  [
    '{{ $x := "ab" }}{{ range 22 }}{{ $x = print $x $x }}{{ end }}{{ range 9999999 }}{{ len $x }}{{ end }}',
    'too many steps',
  ],
  [
    '{{ $x := "<<" }}{{ range 22 }}{{ $x = print $x $x }}{{ end }}{{ html $x | html | html | len }}',
    'too much text',
  ],
  ['{{ range 99999999 }}{{ continue }}{{ end }}', 'the template takes too'],
  [
    '{{ define "r" }}{{ template "r" }}{{ template "r" }}{{ end }}{{ template "r" }}',
    'maximum template depth',
  ],
  [`{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`, 'too deeply nested'],
  ['{{ printf "%99999999d" 1 | printf "%99999999s" | len }}{{ index "a" 3 }}', 'index out of range'],
])('%s exceeds a limit in time', (template, message) => {
  const before = performance.now();
  expect(() => render(template)).toThrow(message);
  expect(performance.now() - before).toBeLessThan(8_000);
});

test('structs have fields, and print as JSON if they have a JSON form', () => {
  const tool = withJson(new GoStruct('api.Tool', { Type: 'function' }), { type: '<f>' });
  expect(render('{{ .T.Type }} {{ .T }}', new Map([['T', tool]]))).toBe(
    'function {"type":"\\u003cf\\u003e"}',
  );
  expect(() => render('{{ .T.Nope }}', new Map([['T', tool]]))).toThrow(
    "can't evaluate field Nope in type api.Tool",
  );
});
