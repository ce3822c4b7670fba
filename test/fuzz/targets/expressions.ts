/** Expressions and code of workflows, up to the program that the sandbox runs. */
import { compile } from '#core/webhooks/expressions/compile.ts';
import { splitTemplate } from '#core/webhooks/expressions/template.ts';
import { check, fuzzTarget, requireEqual, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'each text has a program; the parts of a text are the text',
  seeds: () => [
    "=a {{ $json.body['x y'][0] }} b {{ $('Webhook').item.json.id ?? 1 }}",
    '={{ $input.all().map(i => i.json).filter(Boolean).length }}\\{{ no }}',
    "={{ $node['N'].json.a }}{{ (() => { const [a, ...b] = [1]; return a })() }}",
    '={{ $if($json.a, DateTime.now(), $fromAI("x")) }}{{ /re/g.test("}") }}',
  ],
  words: ['{{', '}}', '\\{{', '$json', '$(', '=>', '`${', '#private', 'await ', 'import('],
  refusals: [],
  measured: ['acorn'],
  run(input) {
    const text = `=${textOf(input)}`;
    const parts = splitTemplate(text);
    for (const part of parts) {
      if (!('code' in part)) continue;
      const program = compile(part.code);
      check(['path', 'script', 'invalid'].includes(program.kind), 'a program has a kind');
      // A script is a function expression: it must parse without the scope of the sandbox.
      if (program.kind === 'script') new Function(`return (${program.source})`);
    }
    const joined = parts.map((part) => ('code' in part ? `{{${part.code}}}` : part.text)).join('');
    requireEqual('parts are the text', joined, text.slice(1));
  },
});
