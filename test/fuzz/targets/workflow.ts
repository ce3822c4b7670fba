/** Workflows as n8n exports them. */
import { ApiError } from '#core/http';
import { readWorkflow, WorkflowGraph } from '#core/workflow-format';
import { check, fuzzTarget, requireEqual, textOf } from '../target.ts';

export default fuzzTarget({
  invariant: 'reading a workflow again changes nothing; the graph has its nodes',
  seeds: () => [
    '{"name":"W","nodes":[{"id":"1","name":"A","type":"n8n-nodes-base.webhook","typeVersion":1.1,"position":[0,0],"parameters":{"path":"x"}},{"name":"B","type":"t"}],"connections":{"A":{"main":[[{"node":"B","type":"main","index":0}],null]}},"settings":{},"staticData":"{\\"a\\":1}","pinData":{}}',
    '{"nodes":[{"name":1,"type":2,"typeVersion":"3","position":["4"]}],"connections":{"1":{"ai_tool":[[{"node":"1","index":"2"}]]}}}',
  ],
  words: ['"__proto__":', '"constructor":', '"toString":1', '"length":-1', '{"node":"A"}'],
  refusals: [ApiError, SyntaxError],
  run(input) {
    const newId = () => 'new';
    const workflow = readWorkflow(JSON.parse(textOf(input)), { newId });
    const again = readWorkflow(JSON.parse(JSON.stringify(workflow)), { newId });
    requireEqual('reading again', JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(workflow)));
    new WorkflowGraph(workflow);
    check(Object.keys(Object.prototype).length === 0, 'no prototype changes');
  },
});
