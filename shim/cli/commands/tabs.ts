import { renderUnicodeCompact } from 'uqr';
import { TABS_PATH } from '../../app-server/tabs-routes.ts';
import { formatTable } from '../../base/format.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { TabDescription } from '../../bridge/fleet/tab-description.ts';
import type { Command, CommandCall } from './command.ts';
import { writeJson, writeResult } from './write-json.ts';

interface TabsAnswer {
  tabs: TabDescription[];
}

interface LinkAnswer {
  link: string;
  /** The same link for other devices. */
  outside: string[];
  expires_at: string;
}

/** Runs `tabd tabs list|link|rename|home|revoke`: the browsers that answer the ports. */
export const tabs: Command = async (call) => {
  const [verb = 'list'] = call.args.operands;
  const runVerb = Object.hasOwn(VERBS, verb) ? VERBS[verb]! : undefined;
  if (!runVerb) throw new UsageError(`tabd tabs cannot '${verb}': see tabd help tabs`);
  await runVerb(call);
};

const VERBS: Record<string, Command> = { list, link, rename, home, revoke };

async function list({ args, io, client }: CommandCall): Promise<void> {
  const answer = await client.get<TabsAnswer>(TABS_PATH);
  if (args.options.json) return writeJson(io.out, answer);
  if (answer.tabs.length === 0) {
    return void io.out.write('No browser is connected. Connect one with: tabd tabs link\n');
  }
  const rows = answer.tabs.map((tab) => [
    tab.id,
    tab.name,
    tab.home ? `${tab.state}, home` : tab.state,
    String(tab.requests),
    tab.device ?? '',
    tab.memory === undefined ? '' : `${Math.round(tab.memory / 2 ** 30)} GB`,
    batteryText(tab.battery),
    tab.loaded.join(', '),
  ]);
  const head = ['ID', 'NAME', 'STATE', 'REQUESTS', 'DEVICE', 'MEMORY', 'BATTERY', 'LOADED'];
  io.out.write(formatTable([head, ...rows]));
}

function batteryText(battery: TabDescription['battery']): string {
  if (!battery) return '';
  return `${Math.round(battery.level * 100)}%${battery.charging ? ' charging' : ''}`;
}

/** Prints a link, and its QR code for the camera of another device, if other devices reach the page. */
async function link({ args, io, client }: CommandCall): Promise<void> {
  const answer = await client.post<LinkAnswer>(`${TABS_PATH}/link`);
  if (args.options.json) return writeJson(io.out, answer);
  io.err.write('Open this link once in the browser that shall answer the ports:\n');
  io.out.write(`${answer.link}\n`);
  const [outside] = answer.outside;
  if (outside === undefined) {
    return void io.err.write('Browsers of other devices can connect after: tabd serve --listen --https\n');
  }
  io.err.write('On another device, open this one or scan its code:\n');
  io.out.write(`${outside}\n`);
  io.err.write(`${renderUnicodeCompact(outside, { border: 2 })}\n`);
}

async function rename(call: CommandCall): Promise<void> {
  const tab = operand(call, 1, 'rename BROWSER NAME');
  const name = operand(call, 2, 'rename BROWSER NAME');
  await call.client.post(pathOf(tab), { name });
  writeResult(call, `renamed '${tab}' to '${name}'\n`, { renamed: tab, name });
}

async function home(call: CommandCall): Promise<void> {
  const tab = operand(call, 1, 'home BROWSER');
  await call.client.post(pathOf(tab), { home: true });
  writeResult(call, `'${tab}' has the workflows, images and uploads of the ports now\n`, { home: tab });
}

async function revoke(call: CommandCall): Promise<void> {
  const tab = operand(call, 1, 'revoke BROWSER');
  await call.client.delete(pathOf(tab), {});
  writeResult(call, `revoked '${tab}'\n`, { revoked: tab });
}

function operand({ args }: CommandCall, index: number, usage: string): string {
  const value = args.operands[index];
  if (value === undefined) throw new UsageError(`the command is: tabd tabs ${usage}`);
  return value;
}

function pathOf(tab: string): string {
  return `${TABS_PATH}/${encodeURIComponent(tab)}`;
}
