/** Graphs of image workflows: JSON as Python reads it, then nodes and links. */
import { JsonSyntaxError } from '#core/http';
import { PromptRefused } from '#core/image-workflows/errors.ts';
import { linksOf, readGraph } from '#core/image-workflows/graph/graph.ts';
import { parsePythonJson } from '#core/image-workflows/python/python-value.ts';
import { check, fuzzTarget, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'each link names a node and a finite slot',
  seeds: () => [
    '{"3":{"class_type":"KSampler","inputs":{"seed":12345678901234567890,"model":["4",0],"cfg":8.0}},"4":{"class_type":"X","inputs":{"text":["a","b"],"g":{"__value__":["4",1]}}}}',
    '{"nodes":[],"links":[]}',
  ],
  refusals: [JsonSyntaxError, PromptRefused],
  run(input) {
    for (const node of readGraph(parsePythonJson(textOf(input))).values())
      for (const [name, { node: from, slot }] of linksOf(node))
        check(typeof from === 'string' && !Number.isNaN(slot), 'links are complete', name);
  },
});
