import { TABD_VERSION } from '#core/base';
import { defaultModel } from '#core/local-models';
import type { TabBridge } from '../../bridge/tab-bridge.ts';
import type { NodeCore } from '../node-core.ts';
import type { Https } from './serve-options.ts';
import type { Serving } from './serving.ts';

/** Where everything is, as rows of a name and a value. */
export function places(core: NodeCore, serving: Serving): [label: string, value: string][] {
  return [
    ...(serving.appOrigin ? [['page', serving.appOrigin] as [string, string]] : []),
    ...serving.ports.map(({ info, host, port }): [string, string] => [info.what, addressOf(host, port)]),
    ['data', core.host.home],
  ];
}

export function banner(rows: [label: string, value: string][], notices: string[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return [`tabd ${TABD_VERSION}`, ...lines, ...notices.map((notice) => `! ${notice}`), ''].join('\n');
}

/** As people write it. */
export function addressOf(host: string, port: number): string {
  return `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`;
}

export function bridgeHelp(bridge: TabBridge): string {
  return `\nThe ports are answered by a tab. Open this link once in the browser that shall do so:\n  ${bridge.link}\n`;
}

export function httpsHelp({ certificate }: Https, serving: Serving, isListening: boolean): string {
  const [outside] = serving.moreOrigins.filter((origin) => !origin.startsWith('https://localhost:'));
  const where = outside && isListening ? outside : `https://localhost:${new URL(serving.appOrigin!).port}`;
  return [
    '',
    `https too: ${where}`,
    `  A device trusts it once it has ${where.replace('https:', 'http:')}/tabd/authority.crt installed as a`,
    '  certificate authority (docs/running.md); its SHA-256 is',
    `  ${certificate.fingerprint}`,
    '',
  ].join('\n');
}

export async function nextSteps(
  core: NodeCore,
  serving: Serving,
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
    lines.push(`  Open ${serving.appOrigin} in a browser, or ask from a terminal:`);
  const shown = key === undefined ? '' : ' -H "Authorization: Bearer KEY"';
  if (models) lines.push(`  curl ${addressOf(models.host, models.port)}/api/chat${shown} -d '${body}'`);
  return [...lines, '  Ctrl+C stops.', ''].join('\n');
}
