/** Chat templates in jinja's notation. */
import { JinjaError, JinjaTemplate } from '#core/local-models/prompting/templates/jinja/jinja-template.ts';
import { CHATML } from '#test/support/model-files/tiny-gguf.ts';
import { fuzzTarget, textOf } from '../target.ts';

const MESSAGES = [
  { role: 'system', content: 'S' },
  { role: 'user', content: 'U' },
];

export default fuzzTarget({
  invariant: 'a template renders or reports an error',
  seeds: () => [
    CHATML,
    "{% set ns = namespace(x=0) %}{% for m in messages[1:] %}{% set ns.x = loop.index0 + 1 %}{{ m.content | trim | upper }}{% if not loop.last %},{% endif %}{% endfor %}{{ ns.x }}{{ raise_exception('no') if messages|length > 5 }}",
    "{% macro f(a, b='x') %}{{ a ~ b }}{% endmacro %}{{ f(1) }}{{ {'k': [1, 2.5, none]} | tojson(indent=2) }}{{ 'a,b'.split(',')|join('-') }}{{ strftime_now('%Y') }}{% call f(2) %}{% endcall %}",
    "{%- filter upper -%}{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list }}{%- endfilter -%}{{ range(0, 10, 3) | list }}{{ 'x' * 3 }}{{ -1 // 2 }}{{ bos_token is defined }}",
  ],
  words: ['{%', '%}', '{{', '}}', '{#', 'range(1000000)', ' | ', 'namespace', '__class__', "'a' * 999999"],
  refusals: [JinjaError],
  // Rendering, and its two fallbacks, may run until the limit of each.
  maxTime: 8000,
  measured: ['@huggingface/jinja'],
  run(input) {
    const template = new JinjaTemplate(textOf(input));
    const messages = MESSAGES as never;
    template.render({ messages, tools: [], think: undefined, bosToken: '<s>', eosToken: '</s>' });
  },
});
