import { describe, expect, it, onTestFinished } from 'vitest';
import { recordsSchema } from '#core/host';
import type { Workflow } from '#core/workflow-format';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { TestClock } from '#test/support/host/test-clock.ts';
import {
  openTestEngine,
  outputsOf,
  SlowRecords,
  START_NODE,
  startCall,
  testNodeTypes,
  waitNode,
} from '#test/support/webhooks/execution-engine.ts';
import { codeNode, setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { Engine } from '../engine.ts';

describe('the record', () => {
  it('has every node with its input, output, time and order', async () => {
    const engine = await openTestEngine();
    const workflow = workflowOf({ ...START_NODE, A: setFields({ a: 1 }), B: setFields({ b: 2 }) }, [
      'Start -> A',
      'A -> B',
    ]);
    const { id, done } = await engine.executions.start(startCall(workflow));
    await done;
    const { summary, detail } = (await engine.executions.get(id))!;
    expect(summary).toMatchObject({
      id: '1',
      mode: 'webhook',
      status: 'success',
      finished: true,
      workflowId: 'w1',
    });
    expect(summary.stoppedAt).toBeGreaterThanOrEqual(summary.startedAt);
    const { runData, lastNodeExecuted } = detail!.data.resultData;
    expect(lastNodeExecuted).toBe('B');
    expect(runData.A![0]).toMatchObject({
      executionIndex: 1,
      executionStatus: 'success',
      source: [{ previousNode: 'Start', previousNodeOutput: 0, previousNodeRun: 0 }],
      data: { main: [[{ json: { n: 1, a: 1 }, pairedItem: { item: 0 } }]] },
    });
    expect(runData.Start![0]!.source).toEqual([]);
    expect(detail!.data.executionData).toBeUndefined();
    expect(detail!.workflowData.nodes).toHaveLength(3);
  });

  it('is stored as the settings of the workflow and of the server say', async () => {
    const engine = await openTestEngine({ settings: { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' } });
    const good = workflowOf({ ...START_NODE }, []);
    const bad = workflowOf({ ...START_NODE, Fail: codeNode('throw 1') }, ['Start -> Fail']);
    const goodSaved = { ...good, settings: { saveDataSuccessExecution: 'all' as const } };
    const badDropped = { ...bad, settings: { saveDataErrorExecution: 'none' as const } };
    for (const workflow of [good, bad, goodSaved, badDropped])
      await (await engine.executions.start(startCall(workflow))).done;
    expect((await engine.executions.list()).map(({ id }) => id)).toEqual(['3', '2']);
  });

  it('is deleted when it is too old or exceeds the limit, unless it waits', async () => {
    const clock = new TestClock();
    const engine = await openTestEngine({
      clock,
      settings: { EXECUTIONS_DATA_PRUNE_MAX_COUNT: '3', EXECUTIONS_DATA_MAX_AGE: '2' },
    });
    const waiting = workflowOf({ ...START_NODE, Wait: { type: 'test.wait' } }, ['Start -> Wait']);
    await (await engine.executions.start(startCall(waiting))).done;
    for (let count = 0; count < 5; count++)
      await (await engine.executions.start(startCall(workflowOf(START_NODE, [])))).done;
    await engine.executions.prune();
    expect((await engine.executions.list()).map(({ id }) => id)).toEqual(['6', '5', '4', '1']);
    await clock.advance(3 * 3_600_000);
    expect((await engine.executions.list()).map(({ id }) => id)).toEqual(['1']);
    expect(await engine.records.collection('executionData').list()).toHaveLength(1);
  });

  it('has the next number after a restart', async () => {
    const first = await openTestEngine();
    await (await first.executions.start(startCall(workflowOf(START_NODE, [])))).done;
    const second = await openTestEngine({ records: first.records });
    expect((await second.executions.start(startCall(workflowOf(START_NODE, [])))).id).toBe('2');
  });

  it('never has the number of a deleted one, also after a restart', async () => {
    const first = await openTestEngine();
    const run = async (engine: Engine) => {
      const { id, done } = await engine.executions.start(startCall(workflowOf(START_NODE, [])));
      await done;
      return id;
    };
    expect([await run(first), await run(first)]).toEqual(['1', '2']);
    for (const id of ['2', '1']) expect(await first.executions.delete(id)).toBe(true);
    const second = await openTestEngine({ records: first.records });
    expect(await run(second)).toBe('3');
    expect(await second.executions.delete('3')).toBe(true);
    const third = await openTestEngine({ records: first.records });
    expect(await run(third)).toBe('4');
  });
});

describe('static data', () => {
  const counting = workflowOf(
    {
      ...START_NODE,
      Count: codeNode("const s = $getWorkflowStaticData('node'); s.n = (s.n ?? 0) + 1; return { n: s.n }"),
    },
    ['Start -> Count'],
  );
  it('lasts from one production run to the next, over restarts; test runs do not change it', async () => {
    const first = await openTestEngine();
    const workflow = await first.workflows.put(counting);
    const count = async (engine: Engine, from: Workflow, test = false) => {
      const { id, done } = await engine.executions.start(startCall(from, { test }));
      await done;
      return (await outputsOf(engine, id, 'Count'))![0]!.n;
    };
    expect([await count(first, workflow), await count(first, workflow)]).toEqual([1, 2]);
    const second = await openTestEngine({ records: first.records });
    const again = (await second.workflows.get('w1'))!;
    expect(again.staticData).toEqual({ global: {}, 'node:Count': { n: 2 } });
    expect(await count(second, structuredClone(again), true)).toBe(3);
    const third = await openTestEngine({ records: first.records });
    expect(await count(third, (await third.workflows.get('w1'))!)).toBe(3);
  });
});

describe('static data of versions and waiting executions', () => {
  it('is shared by all of them', async () => {
    const clock = new TestClock();
    const engine = await openTestEngine({ clock });
    const count = codeNode(
      "const s = $getWorkflowStaticData('global'); s.n = (s.n ?? 0) + 1; return { n: s.n }",
    );
    const nodes = { ...START_NODE, Wait: { type: 'test.wait', parameters: { seconds: 3600 } }, Count: count };
    const waiting = workflowOf(nodes, ['Start -> Wait', 'Wait -> Count']);
    const quick = workflowOf({ ...START_NODE, Count: count }, ['Start -> Count']);
    await engine.workflows.put(quick);
    const wait = await engine.executions.start(startCall(waiting));
    await wait.done;
    // Another version of the workflow, with static data from the time of its publication.
    for (let runs = 0; runs < 2; runs++)
      await (await engine.executions.start(startCall(structuredClone(quick)))).done;
    await clock.advance(3_601_000);
    await expect.poll(async () => (await engine.executions.get(wait.id))!.summary.status).toBe('success');
    expect(await outputsOf(engine, wait.id, 'Count')).toEqual([{ n: 3 }]);
    expect((await engine.workflows.get('w1'))!.staticData).toMatchObject({ global: { n: 3 } });
  });
});

describe('a crash', () => {
  it('marks running executions, which can be retried with their first items', async () => {
    const first = await openTestEngine();
    const workflow = workflowOf(
      {
        ...START_NODE,
        Long: codeNode('await new Promise((r) => setTimeout(r, 60_000)); return items'),
        End: setFields({ end: '={{ $json.n }}' }),
      },
      ['Start -> Long', 'Long -> End'],
    );
    const handle = await first.executions.start(startCall(workflow, { durable: true }));
    await handle.accepted;
    // A killed process leaves the records as they are at this moment.
    const records = new MemoryRecords(recordsSchema);
    for (const name of ['executions', 'executionData', 'workflowKeys']) {
      for (const { key, doc } of await first.records.collection(name).list())
        await records.collection(name).put(key, doc);
    }
    const second = await openTestEngine({ records });
    expect((await second.executions.get('1'))!.summary).toMatchObject({ status: 'crashed', finished: false });
    const repaired = workflowOf(
      { ...START_NODE, Long: { type: 'noOp' }, End: setFields({ end: '={{ $json.n }}' }) },
      ['Start -> Long', 'Long -> End'],
    );
    const again = await second.executions.retry('1', repaired);
    expect((await again.done).status).toBe('success');
    expect(await outputsOf(second, again.id, 'End')).toEqual([{ n: 1, end: '1' }]);
    expect((await second.executions.get(again.id))!.summary).toMatchObject({ mode: 'retry', retryOf: '1' });
    await expect.poll(async () => (await second.executions.get('1'))!.summary.retrySuccessId).toBe(again.id);
  });

  it('a retry continues at the failed node', async () => {
    const engine = await openTestEngine();
    const nodes = (code: string) => ({
      ...START_NODE,
      Once: codeNode("const s = $getWorkflowStaticData('global'); s.n = (s.n ?? 0) + 1; return { n: s.n }"),
      Fails: codeNode(code),
    });
    const edges = ['Start -> Once', 'Once -> Fails'];
    const { id, done } = await engine.executions.start(
      startCall(workflowOf(nodes("throw new Error('x')"), edges)),
    );
    expect((await done).status).toBe('error');
    const again = await engine.executions.retry(
      id,
      workflowOf(nodes('return { twice: items[0].json.n * 2 }'), edges),
    );
    await again.done;
    expect(await outputsOf(engine, again.id, 'Fails')).toEqual([{ twice: 2 }]);
    await expect(engine.executions.retry(again.id)).rejects.toMatchObject({ status: 409 });
  });
});

describe('waiting executions', () => {
  const workflow = (wait: object) =>
    workflowOf(
      {
        ...START_NODE,
        Wait: { type: 'test.wait', parameters: { ...wait } },
        End: setFields({ was: "={{ $('Start').item.json.n }}" }),
      },
      ['Start -> Wait', 'Wait -> End'],
    );

  it('that wait for a short time respond at their end', async () => {
    const clock = new TestClock();
    const engine = await openTestEngine({ clock });
    const handle = await engine.executions.start(startCall(workflow({ seconds: 30 })));
    await clock.advance(1000);
    expect((await engine.executions.get(handle.id))!.summary).toMatchObject({ status: 'waiting' });
    await clock.advance(30_000);
    expect((await handle.done).status).toBe('success');
    expect(await outputsOf(engine, handle.id, 'End')).toEqual([{ n: 1, was: '1' }]);
  });

  it('that wait for a long time respond at once, and resume after a restart', async () => {
    const clock = new TestClock();
    const first = await openTestEngine({ clock });
    const handle = await first.executions.start(startCall(workflow({ seconds: 3600 })));
    expect((await handle.done).status).toBe('waiting');
    await first.close();
    await clock.advance(4_000_000);
    expect((await first.executions.get(handle.id))!.summary.status).toBe('waiting');
    const second = await openTestEngine({ records: first.records, clock });
    await clock.advance(1);
    await expect.poll(async () => (await second.executions.get(handle.id))!.summary.status).toBe('success');
    expect(await outputsOf(second, handle.id, 'End')).toEqual([{ n: 1, was: '1' }]);
  });

  it('that wait for a call resume with its item, once', async () => {
    const first = await openTestEngine();
    const handle = await first.executions.start(startCall(workflow({})));
    expect((await handle.done).status).toBe('waiting');
    const engine = await openTestEngine({ records: first.records });
    const output = [[{ json: { body: 'hi' }, pairedItem: { item: 0 } }]];
    const resumed = await engine.executions.resume(handle.id, { output });
    expect((await resumed.done).status).toBe('success');
    expect(await outputsOf(engine, handle.id, 'End')).toEqual([{ body: 'hi', was: '1' }]);
    await expect(engine.executions.resume(handle.id)).rejects.toMatchObject({
      status: 409,
      message: `The execution "${handle.id} has finished already.`,
    });
    await expect(engine.executions.resume('99')).rejects.toMatchObject({ status: 404 });
  });

  it('cannot be resumed before they are stored', async () => {
    const records = new SlowRecords(recordsSchema);
    const engine = await openTestEngine({ records });
    const handle = await engine.executions.start(startCall(workflow({})));
    const parked = records.nextWrite();
    await parked.started;
    await expect(engine.executions.resume(handle.id)).rejects.toMatchObject({ status: 409 });
    parked.end();
    expect((await handle.done).status).toBe('waiting');
    const output = [[{ json: { body: 'hi' }, pairedItem: { item: 0 } }]];
    const resumed = await engine.executions.resume(handle.id, { output });
    expect((await resumed.done).status).toBe('success');
    expect(await outputsOf(engine, handle.id, 'End')).toEqual([{ body: 'hi', was: '1' }]);
  });

  it('do not wait if they are cancelled while they are being stored', async () => {
    const records = new SlowRecords(recordsSchema);
    const engine = await openTestEngine({ records });
    const handle = await engine.executions.start(startCall(workflow({})));
    const parked = records.nextWrite();
    await parked.started;
    expect(await engine.executions.cancel(handle.id)).toBe(true);
    parked.end();
    expect((await handle.done).status).toBe('canceled');
    expect((await engine.executions.get(handle.id))!.summary.status).toBe('canceled');
  });

  it('that wait for a call resume at their time limit', async () => {
    const clock = new TestClock();
    const engine = await openTestEngine({ clock });
    const handle = await engine.executions.start(startCall(workflow({ limit: 100 })));
    await handle.done;
    await clock.advance(101_000);
    expect((await engine.executions.get(handle.id))!.summary.status).toBe('success');
  });

  it('can be cancelled', async () => {
    const clock = new TestClock();
    const engine = await openTestEngine({ clock });
    const handle = await engine.executions.start(startCall(workflow({ seconds: 3600 })));
    await handle.done;
    expect(await engine.executions.cancel(handle.id)).toBe(true);
    await clock.advance(4_000_000);
    expect((await engine.executions.get(handle.id))!.summary.status).toBe('canceled');
  });
});

describe('other workflows', () => {
  it('start for a failure, with its description', async () => {
    const engine = await openTestEngine();
    await engine.workflows.put({
      ...workflowOf(
        {
          Failed: { type: 'errorTrigger' },
          Note: setFields({ message: '={{ $json.execution.error.message }}' }),
        },
        ['Failed -> Note'],
      ),
      id: 'handler',
    });
    const failing = workflowOf(
      { ...START_NODE, Fail: codeNode("throw new Error('oh')") },
      ['Start -> Fail'],
      {
        settings: { executionOrder: 'v1', errorWorkflow: 'handler' },
      },
    );
    await (await engine.executions.start(startCall(failing))).done;
    await expect
      .poll(async () => (await engine.executions.list({ workflowId: 'handler' }))[0]?.status)
      .toBe('success');
    const [started] = await engine.executions.list({ workflowId: 'handler' });
    expect(started!.mode).toBe('error');
    const [note] = (await outputsOf(engine, started!.id, 'Note'))!;
    expect(note).toMatchObject({
      message: 'oh [line 1]',
      workflow: { id: 'w1', name: 'Test' },
      execution: { id: '1', lastNodeExecuted: 'Fail', mode: 'webhook' },
    });
  });

  it('that call themselves end with an error', async () => {
    const engine = await openTestEngine();
    const own: NodeType = {
      ...waitNode,
      name: 'test.call',
      execute: (context) => context.callWorkflow({ id: 'w1' }, context.items()),
    };
    testNodeTypes.push(own);
    onTestFinished(() => void testNodeTypes.pop());
    const workflow = await engine.workflows.put(
      workflowOf({ Start: { type: 'executeWorkflowTrigger' }, Again: { type: 'test.call' } }, [
        'Start -> Again',
      ]),
    );
    const { error } = await (await engine.executions.start(startCall(workflow))).done;
    expect(error?.message).toBe('Workflows call one another more than 32 deep');
  });
});

describe('many executions at once', () => {
  it('run two at a time, and all of them succeed', async () => {
    const engine = await openTestEngine({ settings: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '2' } });
    const workflow = workflowOf(
      { ...START_NODE, A: codeNode('await new Promise((r) => setTimeout(r, 5)); return items') },
      ['Start -> A'],
    );
    const handles = await Promise.all(
      Array.from({ length: 12 }, () => engine.executions.start(startCall(workflow))),
    );
    const results = await Promise.all(handles.map(({ done }) => done));
    expect(results.map(({ status }) => status)).toEqual(Array(12).fill('success'));
    expect(new Set(handles.map(({ id }) => id)).size).toBe(12);
  });
});

describe('events', () => {
  it('report progress in order', async () => {
    const engine = await openTestEngine();
    const seen: string[] = [];
    engine.events.subscribe((event) => {
      seen.push(event.type === 'executionProgress' ? `${event.event.type} ${event.event.node}` : event.type);
    });
    const workflow = workflowOf(
      { ...START_NODE, Say: codeNode("console.log('hi', { a: 1 }); return items") },
      ['Start -> Say'],
    );
    await (await engine.executions.start(startCall(workflow))).done;
    expect(seen).toEqual([
      'executionStarted',
      'nodeStarted Start',
      'nodeFinished Start',
      'nodeStarted Say',
      'console Say',
      'nodeFinished Say',
      'executionFinished',
    ]);
  });
});
