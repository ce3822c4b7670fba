/** Runs commands of the computer, where a setting allows it. */
import type { Host } from '#core/host';
import { flagSetting } from '#core/settings';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem, perItem } from '../../node-api/per-item.ts';
import { flag, text } from '../shared/parameters.ts';

/** Off by default: a workflow of another author would have all rights of the user. */
const SETTING = 'TABD_EXECUTE_COMMAND';
const MAX_BYTES = 16 * 2 ** 20;

export function allowsCommands(host: Pick<Host, 'commands' | 'setting'>): boolean {
  return host.commands !== undefined && flagSetting(host, SETTING);
}

/** Why commands do not run. */
export function noCommands(label: string): string {
  return `${label} is switched off: it runs on the ports of the tabd shim only, with the setting ${SETTING}=true`;
}

export const executeCommand: NodeType = {
  name: 'n8n-nodes-base.executeCommand',
  label: 'Execute Command',
  description: 'Runs a command of this computer.',
  group: 'flow',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsCommands: true,
  parameters: [
    flag('executeOnce', 'Execute Once', { default: true }),
    text('command', 'Command', { rows: 5, required: true, placeholder: 'echo "test"' }),
  ],
  async execute(context) {
    if ((await context.parameter('executeOnce', 0)) === false) {
      return perItem(context, (_item, index) => run(context, index));
    }
    try {
      return [[{ ...(await run(context, 0)), pairedItem: { item: 0 } }]];
    } catch (error) {
      return [[failedItem(context, error, 0)]];
    }
  },
};

async function run(context: NodeContext, index: number) {
  const command = String((await context.parameter('command', index)) ?? '');
  const { commands } = context;
  if (!commands) throw new NodeError(noCommands('Execute Command'));
  const { exitCode, stderr, stdout } = await commands.run(command, {
    signal: context.signal,
    maxBytes: MAX_BYTES,
  });
  if (exitCode !== 0) {
    throw new NodeError(stderr || `The command ended with the exit code ${exitCode}`, { itemIndex: index });
  }
  return { json: { exitCode, stderr, stdout } };
}
