/** Public sandbox escapes, against the sandbox of a tab. `test/unit/sandbox-attacks.test.ts` has all attacks, in Node. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { attackCode, CODE_ATTACKS, EXPRESSION_ATTACKS, INNOCENT } from '../../support/sandbox/attacks.ts';
import { codeNode, setFields, workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

/** Attacks on resources run until the time limit, which is 10 s in a tab. */
const attacks = CODE_ATTACKS.filter(({ kind }) => kind === 'escape' || kind === 'leaving');
const continues = { onError: 'continueRegularOutput' };
const nodes = {
  Start: { type: 'manualTrigger' },
  ...Object.fromEntries(
    attacks.map((attack, at) => [`Code ${at}`, { ...codeNode(attackCode(attack)), ...continues }]),
  ),
  ...Object.fromEntries(
    EXPRESSION_ATTACKS.map(({ expression }, at) => [
      `Set ${at}`,
      { ...setFields({ value: `={{ JSON.stringify(${expression}) }}` }, false), ...continues },
    ]),
  ),
  Innocent: codeNode(INNOCENT.code),
};
const others = Object.keys(nodes).filter((name) => name !== 'Start');
const { name, connections, settings, ...workflow } = workflowOf(
  nodes,
  others.map((node) => `Start -> ${node}`),
);

type Run = { data: { main: { json: Record<string, unknown> }[][] } }[];

test('attacks on code and expressions reach nothing outside, and change nothing for others', async ({
  page,
}) => {
  const home = await mkdtemp(join(tmpdir(), 'sandbox-'));
  const shim = await startShim(home);
  try {
    await page.goto(`http://localhost:${shim.ports.app}/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const runs = await page.evaluate(
      async (body) => {
        const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
        const call = async (path: string, sent?: unknown) => {
          const init = sent === undefined ? {} : { method: 'POST', body: JSON.stringify(sent) };
          return (await fetch(`/api/v1${path}`, { headers, ...init })).json();
        };
        const { id } = await call('/workflows', body);
        const { executionId } = await call(`/workflows/${id}/run`, {});
        for (;;) {
          const execution = await call(`/executions/${executionId}?includeData=true`);
          if (execution.status !== 'running') return execution.data.resultData.runData;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
      { name, connections, settings, nodes: workflow.nodes },
    );
    const outputOf = (node: string) => (runs as Record<string, Run>)[node]![0]!.data.main[0]![0]!.json;
    for (const [at, attack] of attacks.entries()) {
      const output = outputOf(`Code ${at}`);
      if (attack.kind === 'escape') expect(output, attack.name).toMatchObject({ found: [] });
    }
    for (const [at, attack] of EXPRESSION_ATTACKS.entries())
      expect(JSON.stringify(outputOf(`Set ${at}`).value ?? ''), attack.name).not.toMatch(/object|function/);
    expect(outputOf('Innocent')).toEqual(INNOCENT.value);
    expect(
      await page.evaluate(() => ({}) as { polluted?: unknown }).then((own) => own.polluted),
    ).toBeUndefined();
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
