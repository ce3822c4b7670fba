import { expect, test } from 'vitest';
import { imageServer, type Message, testNodes } from '#test/support/image-workflows/image-server.ts';
import { defaultGraph } from '#test/support/model-files/emoji-model.ts';
import { readGraph } from '../graph/graph.ts';
import { nodeTypes } from '../nodes/index.ts';
import { parsePythonJson } from '../python/python-value.ts';
import { NodeSchedule } from './node-schedule.ts';

test('among nodes that are ready, the one that the walk came to first', () => {
  const graph = readGraph(parsePythonJson(JSON.stringify(defaultGraph())));
  const types = new Map(nodeTypes.map((type) => [type.name, type]));
  const schedule = new NodeSchedule(
    graph,
    (id) => types.get(graph.get(id)!.className)!,
    () => false,
  );
  schedule.add('9');
  const order: string[] = [];
  while (!schedule.isEmpty) {
    order.push(schedule.next());
    schedule.finish(order.at(-1)!);
  }
  // The model feeds what feeds the output; of the rest, links that are named last are walked first.
  expect(order).toEqual(['4', '5', '7', '6', '3', '8', '9']);
});

test('a node ends as far as it said it would go', async () => {
  const server = imageServer({ nodes: testNodes([]) });
  const { heard } = await server.run({
    a: { class_type: 'Steps', inputs: { steps: 3 } },
    b: { class_type: 'Show', inputs: { value: ['a', 0] } },
  });
  const ends = (heard as Message[])
    .filter(({ type, data }) => type === 'progress_state' && data.nodes.b?.state === 'finished')
    .map(({ data }) => [data.nodes.a, data.nodes.b].map(({ value, max }) => [value, max]));
  expect(ends).toEqual([
    [
      [3, 3],
      [1, 1],
    ],
  ]);
  await server.close();
});
