import { afterEach, describe, expect, it } from 'vitest';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../engine.ts';

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
  return { id, json: state.runData.Set![0]!.data!.main[0]![0]!.json };
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
