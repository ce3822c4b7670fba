import { expect, it, onTestFinished } from 'vitest';
import { shellCommands } from '#shim/host/shell-commands.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { findIssues } from '../../registrations/publish-check.ts';
import { nodeType } from '../index.ts';
import { allowsCommands } from './execute-command.ts';

const command = (text: string, executeOnce = true) => ({
  type: 'executeCommand',
  parameters: { command: text, executeOnce },
});

async function open(settings: Record<string, string>) {
  const opened = await openEngine({ settings, commands: shellCommands });
  onTestFinished(() => opened.engine.close());
  return opened;
}

it('runs a command once, or for each item', async () => {
  const { engine } = await open({ TABD_EXECUTE_COMMAND: 'true' });
  const output = { exitCode: 0, stderr: 'e', stdout: 'o' };
  expect(await runFirstOutput(engine, command('echo o; echo e >&2'), [{}, {}])).toEqual([output]);
  const each = command('=echo {{ $json.n }}', false);
  expect(await runFirstOutput(engine, each, [{ n: 1 }, { n: 2 }])).toMatchObject([
    { stdout: '1' },
    { stdout: '2' },
  ]);
  expect(await runFirstOutput(engine, command('echo bad >&2; exit 3'))).toEqual({ error: 'bad' });
  expect(await runFirstOutput(engine, command('exit 3'))).toEqual({
    error: 'The command ended with the exit code 3',
  });
  expect(await runFirstOutput(engine, command('head -c 20000000 /dev/zero'))).toEqual({
    error: 'The command has written more than 16 MiB',
  });
});

it('ends the command and its children with the execution', async () => {
  const { engine } = await open({ TABD_EXECUTE_COMMAND: 'true' });
  const abort = new AbortController();
  const run = runWebhookNode(engine, command('sleep 600 & sleep 600'), [{}], { signal: abort.signal });
  setTimeout(() => abort.abort(), 100);
  expect((await run).status).toBe('canceled');
});

it('is off by default: publishing and running say so', async () => {
  const { engine, host } = await open({});
  const workflow = workflowOf({ Run: command('true') }, []);
  const [issue] = await findIssues(workflow, { nodeType, hasCommands: allowsCommands(host) });
  expect(issue!.issues).toEqual([expect.stringContaining('TABD_EXECUTE_COMMAND=true')]);
  expect(await runFirstOutput(engine, command('true'))).toEqual({
    error: expect.stringContaining('TABD_EXECUTE_COMMAND=true'),
  });
});
