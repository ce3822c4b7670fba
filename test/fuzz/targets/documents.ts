/** HTML and Markdown documents of the nodes HTML and Markdown. */
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { extractValues } from '#core/webhooks/nodes/documents/html/extract.ts';
import { markdown } from '#core/webhooks/nodes/documents/markdown.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { fuzzTarget, textOf } from '../target.ts';

const RULES = { trim: true, cleanUp: true, omitsEmptyText: false, readable: true };

export default fuzzTarget({
  invariant: 'every document is converted',
  seeds: () => [
    '<h1>a</h1><p>b <b>c</b><a href="x">l</a></p><ul><li>1<li>2</ul><table><tr><td>x</table><pre><code>y</code></pre>',
    '# a\n\n* b **c** [l](x "t")\n  1. d\n\n```js\ne\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n![i](j)\n',
  ],
  words: ['<p>', '</p>', '<a href="', '**', '__', '[', '](', '```', '|', '> ', '<!--', '&#x', '<table>'],
  refusals: [],
  maxBytes: 1024,
  measured: ['showdown', 'node-html-markdown'],
  async run(input) {
    const text = textOf(input);
    await extractValues(text, [{ key: 'x', cssSelector: 'p, td, *', returnArray: true }], RULES);
    for (const mode of ['markdownToHtml', 'htmlToMarkdown'])
      await markdown.execute!(
        contextOf({ mode, html: text, markdown: text, destinationKey: 'data', options: {} }),
      );
  },
});

/** The part of a node's context that the node reads. */
function contextOf(parameters: Record<string, unknown>): NodeContext {
  return {
    signal: neverAborted,
    items: () => [{ json: {} }],
    parameter: async (name: string) => parameters[name],
  } as unknown as NodeContext;
}
