/** Ollama's TEMPLATE layers, and Modelfiles around them. */
import { ModelfileError } from '#core/local-models/modelfile/parse-modelfile.ts';
import { planModelfile } from '#core/local-models/modelfile/plan-modelfile.ts';
import { TemplateError } from '#core/local-models/prompting/templates/go-template/index.ts';
import { ModelTemplate } from '#core/local-models/prompting/templates/model-template.ts';
import { fuzzTarget, textOf } from '../target.ts';

const MESSAGES = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'U' },
  { role: 'assistant', content: '', toolCalls: [{ name: 'f', arguments: { a: 1 } }] },
  { role: 'tool', content: 'R', toolName: 'f' },
];

export default fuzzTarget({
  invariant: 'a template renders or reports an error',
  seeds: () => [
    '{{ if .System }}<s>{{ .System }}</s>{{ end }}{{ .Prompt }}{{ .Response }}',
    '{{- range $i, $m := .Messages }}{{ if eq .Role "user" }}{{ .Content | printf "%q" }}{{ else if .ToolCalls }}{{ json .ToolCalls }}{{ end }}{{- if (lt $i 3) }},{{ break }}{{ end }}{{ end }}',
    '{{ define "t" }}{{ . }}{{ end }}{{ template "t" (index .Messages 0).Content }}{{ $x := len .Messages }}{{ $x = slice .System 0 1 }}{{ with .Tools }}{{ end }}',
    'FROM a\nTEMPLATE """{{ .Prompt }}"""\nPARAMETER stop "x"\nMESSAGE user hi\n',
  ],
  words: ['{{', '}}', '{{-', '-}}', '{{/*', '{{end}}', '{{range .Messages}}', '%[1]*d', '0x1p-2'],
  refusals: [TemplateError, ModelfileError],
  // A template may run for two seconds before it is ended.
  maxTime: 4000,
  run(input) {
    const source = textOf(input);
    if (source.startsWith('FROM ')) return void planModelfile(source);
    const messages = MESSAGES as never;
    new ModelTemplate(source).render({ messages, tools: [], think: undefined, now: 0 });
  },
});
