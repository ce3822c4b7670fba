import { TABD_VERSION } from '#core/base';
import { defaultModel } from '#core/local-models';
import type { TabBridge } from '../../bridge/tab-bridge.ts';
import type { NodeCore } from '../node-core.ts';
import type { OpenServers } from './open-servers.ts';
import type { Https } from './serve-options.ts';

/** The addresses of page and ports, and the home folder, as rows of a label and a value. */
export function addressRows(core: NodeCore, serving: OpenServers): [label: string, value: string][] {
  return [
    ...(serving.appOrigin ? [['page', serving.appOrigin] as [string, string]] : []),
    ...serving.ports.map(({ info, host, port }): [string, string] => [info.title, addressOf(host, port)]),
    ['data', core.host.home],
  ];
}

export function banner(rows: [label: string, value: string][], notices: string[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return [`tabd ${TABD_VERSION}`, ...lines, ...notices.map((notice) => `! ${notice}`), ''].join('\n');
}

/** The URL as users type it. */
export function addressOf(host: string, port: number): string {
  return `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`;
}

export function bridgeHelp(bridge: TabBridge): string {
  return [
    '',
    'A tab answers the ports. Open this link once in the browser that should do so:',
    `  ${bridge.link}`,
    '  For more browsers, which share the work: tabd tabs link',
    '',
  ].join('\n');
}

export function httpsHelp({ certificate }: Https, serving: OpenServers, isListening: boolean): string {
  const [outside] = serving.moreOrigins.filter((origin) => !origin.startsWith('https://localhost:'));
  const where = outside && isListening ? outside : `https://localhost:${new URL(serving.appOrigin!).port}`;
  return [
    '',
    `The page by https: ${where}`,
    `  A device trusts it after you install ${where.replace('https:', 'http:')}/tabd/authority.crt as a`,
    '  certificate authority (docs/running.md). Its SHA-256 is',
    `  ${certificate.fingerprint}`,
    '',
  ].join('\n');
}

export async function nextSteps(
  core: NodeCore,
  serving: OpenServers,
  viaTab: boolean,
  key?: string,
): Promise<string> {
  const models = serving.ports.find(({ info }) => info.listener === 'local-models');
  const installed = (await core.registry.list()).find(({ capabilities }) =>
    capabilities.includes('completion'),
  );
  const model = installed ? core.registry.display(installed.name) : defaultModel;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Why is the sky blue?' }] });
  const lines = ['', 'Ready.'];
  if (serving.appOrigin && !viaTab)
    lines.push(`  Open ${serving.appOrigin} in a browser, or send a request from a terminal:`);
  const keyHeader = key === undefined ? '' : ' -H "Authorization: Bearer KEY"';
  if (models) lines.push(`  curl ${addressOf(models.host, models.port)}/api/chat${keyHeader} -d '${body}'`);
  return [...lines, '  Ctrl+C stops.', ''].join('\n');
}
