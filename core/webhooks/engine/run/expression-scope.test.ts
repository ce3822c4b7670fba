import { afterEach, describe, expect, it } from 'vitest';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { nodeType } from '../../nodes/index.ts';
import type { Engine } from '../engine.ts';
import { expressionScope } from './expression-scope.ts';

let engine: Engine;
afterEach(() => engine.close());

/** The scope of expressions in an execution that the editor or a call started. */
async function evaluated(fields: Record<string, string>, settings: Record<string, string> = {}) {
  ({ engine } = await openEngine({ settings }));
  const workflow = workflowOf({ Start: { type: 'manualTrigger' }, Set: setFields(fields, false) }, [
    'Start -> Set',
  ]);
  const { id, done } = await engine.executions.start({ workflow, mode: 'manual', test: true, node: 'Start' });
  const { state } = await done;
  return { id, json: state.runData.Set![0]!.data!.main![0]![0]!.json };
}

describe('$execution', () => {
  const URLS = { call: '={{ $execution.resumeUrl }}', form: '={{ $execution.resumeFormUrl }}' };

  it('has signed addresses for calls and forms', async () => {
    const { id, json } = await evaluated(URLS);
    const signature = engine.signatures.of(`/webhook-waiting/${id}`);
    expect(json).toEqual({
      call: `http://localhost:5678/webhook-waiting/${id}?signature=${signature}`,
      form: `http://localhost:5678/form-waiting/${id}?signature=${signature}`,
    });
  });

  it('has a form address that does not depend on the setting for calls', async () => {
    const { json } = await evaluated(URLS, { N8N_ENDPOINT_WEBHOOK_WAIT: 'resume' });
    expect(json.call).toMatch('http://localhost:5678/resume/');
    expect(json.form).toMatch('http://localhost:5678/form-waiting/');
  });

  it('says whether the editor started it', async () => {
    const { json } = await evaluated({ mode: '={{ $execution.mode }} {{ $mode }}' });
    expect(json).toEqual({ mode: 'test manual' });
  });
});

it('uses the timezone of the workflow, otherwise that of the server', async () => {
  const { json } = await evaluated({ zone: '={{ $now.zoneName }}' }, { GENERIC_TIMEZONE: 'Asia/Tokyo' });
  expect(json).toEqual({ zone: 'Asia/Tokyo' });
});

describe('expressionScope', () => {
  const workflow = workflowOf(
    { A: { type: 'limit', parameters: { keep: 'lastItems' } }, Odd: { type: 'odd.type' } },
    [],
    { settings: { timezone: 'Europe/Berlin' } },
  );
  let lookups: string[];
  let addresses: unknown[][];
  const scopeOf = (more: object = {}) => {
    lookups = [];
    addresses = [];
    return expressionScope(
      {
        workflow,
        node: workflow.nodes[0]!,
        findNode: (name) => workflow.nodes.find((node) => node.name === name),
        executionId: '7',
        mode: 'webhook',
        test: false,
        inputs: [],
        signal: new AbortController().signal,
        ...more,
      },
      {
        nodeType: (name) => {
          lookups.push(name);
          return nodeType(name);
        },
        resumeUrl: (...args) => {
          addresses.push(args);
          return `url-${args.join('-')}`;
        },
        timezone: 'UTC',
        host: { clock: { now: () => 5 } } as never,
      },
    );
  };

  it('has the parameters of nodes with their defaults', () => {
    const scope = scopeOf();
    expect(scope.parameters).toEqual({ maxItems: 1, keep: 'lastItems' });
    expect(scope.parametersOf('Odd')).toEqual({});
    expect(scope.parametersOf('None')).toBeUndefined();
    expect(scopeOf({ findNode: () => undefined }).parameters).toEqual({});
  });

  it('computes the parameters of a node once', () => {
    const scope = scopeOf();
    expect(scope.parametersOf('A')).toBe(scope.parameters);
    expect(lookups).toEqual(['n8n-nodes-base.limit']);
  });

  it('has the workflow and the execution', () => {
    const { workflow: shown, execution, timezone, now } = scopeOf({ customData: { a: 'b' } });
    expect(shown).toEqual({ active: true, id: 'w1', name: 'Test' });
    expect([timezone, now()]).toEqual(['Europe/Berlin', 5]);
    expect(addresses).toEqual([]);
    expect(execution).toEqual({
      id: '7',
      mode: 'production',
      resumeUrl: 'url-7',
      resumeFormUrl: 'url-7-form',
      customData: { a: 'b' },
    });
  });

  it('has no addresses before the execution starts', () => {
    const { execution } = scopeOf({ executionId: undefined });
    expect(execution).toEqual({
      id: '',
      mode: 'production',
      resumeUrl: '',
      resumeFormUrl: '',
      customData: {},
    });
    expect(addresses).toEqual([]);
  });

  it('has empty data for a call', () => {
    expect(scopeOf()).toMatchObject({ sources: [], runIndex: 0, runData: {}, memory: {}, variables: {} });
    const data = { sources: [null], runIndex: 2, runData: { A: [] }, memory: { A: { n: 1 } } };
    expect(scopeOf(data)).toMatchObject(data);
  });
});
