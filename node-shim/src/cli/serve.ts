import { defaultModel } from '../../../core/local-models/registry/catalogue.ts';
import { TABD_VERSION } from '../../../core/version.ts';
import { findAppFolder } from '../app-server/app-folder.ts';
import { controlRoutes } from '../app-server/control.ts';
import { keptPairing } from '../bridge/kept-key.ts';
import { BRIDGE_PATH, TabBridge } from '../bridge/tab-bridge.ts';
import type { Arguments } from './arguments.ts';
import { consentOnTerminal } from './ask.ts';
import { pullModel } from './commands/pull.ts';
import { importFile } from './import-file.ts';
import { installedWeights } from './installed-weights.ts';
import { type NodeCore, openNodeCore } from './node-core.ts';
import { withOllamaHost } from './ollama-host-ports.ts';
import type { Terminal } from './progress.ts';
import { announce, newToken } from './running-server.ts';
import { ApiClient } from './server/api-client.ts';
import type { TagsAnswer } from './server/api-types.ts';
import { sendTo } from './server/connection.ts';
import { reachableAt, type Serving, startServing } from './serving.ts';
import { UsageError } from './usage-error.ts';

/** Milliseconds that running answers have to finish after the first Ctrl+C. */
const GRACE = 30_000;
/** Milliseconds after which a server that has just started looks for GPUs, before anybody waits for the answer. */
const LOOK_AROUND = 1000;

export interface ServeIo {
  env: NodeJS.ProcessEnv;
  out: Terminal;
  /** Ends serving. */
  stop: AbortSignal;
  /** Cuts what still runs. */
  force: AbortSignal;
}

/** `tabd serve`: returns when `stop` has aborted and everything is closed. Throws `HomeInUse`, `UsageError`. */
export async function serve(args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  const core = await openNodeCore({ home: args.home, env: io.env, consent: consentOnTerminal(true) });
  try {
    await serveCore(core, args, io);
  } finally {
    await core.close();
  }
}

async function serveCore(core: NodeCore, args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  const token = newToken();
  let bridge: TabBridge | undefined;
  const notices: string[] = [];
  if (args.listen) {
    const where = args.listen === 'any' ? 'all addresses of this computer' : args.listen;
    notices.push(`listening on ${where}: whoever reaches it can use it`);
  }
  const { ports, notices: hostNotices } = withOllamaHost(args.ports, io.env);
  notices.push(...hostNotices);
  const serving = await startServing({
    ports,
    listen: args.listen,
    notice: (text) => notices.push(text),
    server(appOrigin) {
      if (!args.viaTab) return core.server;
      if (!appOrigin) throw new UsageError('--via-tab needs the app server: leave out app=off');
      bridge = new TabBridge({
        appOrigins: [appOrigin],
        pairing: keptPairing(core.host.home),
        onChange: (connected, cause) =>
          core.host.log.info(connected ? 'a tab answers the ports' : 'the tab is gone', { cause }),
      });
      return bridge;
    },
    app: {
      folder: findAppFolder(),
      weights: installedWeights(core.registry, core.host.blobs),
      extra: controlRoutes({
        token,
        server: core.server,
        webhooks: () => bridge ?? core.server,
        // Who reaches the page from another computer is not thereby the owner of its workflows.
        ...(!args.viaTab && !args.listen && { pageKey: pageKey(core.server) }),
        importFile: (path, name, signal) => importFile(core.registry, path, name, signal),
      }),
      connect: (request, path) =>
        path === BRIDGE_PATH && bridge ? Promise.resolve(bridge.accept(request)) : undefined,
    },
  });
  const withdraw = await announceServing(args, serving, token);
  try {
    io.out.write(banner(core, serving, notices));
    if (!bridge) {
      void core.text.resume(io.stop);
      startWebhooks(core, serving);
      const forget = core.host.clock.after(LOOK_AROUND, () => void core.host.machine.gpus().catch(() => {}));
      io.stop.addEventListener('abort', forget, { once: true });
    }
    void core.registry.prune(io.stop).catch((error) => {
      if (!io.stop.aborted) core.host.log.warn('old downloads stay', { error: String(error) });
    });
    if (bridge) io.out.write(bridgeHelp(bridge));
    else if (args.pull) await fetchFirstModel(core, io);
    if (!io.stop.aborted) io.out.write(await nextSteps(core, serving, bridge !== undefined));
    await aborted(io.stop);
    // Whoever watches would keep the ports open as long as there is something to see.
    core.webhooks.endEvents();
    const running = serving.running();
    if (running > 0) io.out.write(`\nfinishing ${running} running request(s); Ctrl+C again cuts them\n`);
  } finally {
    const deadline = AbortSignal.any([io.force, AbortSignal.timeout(GRACE)]);
    await serving.close(deadline);
    await core.webhooks.settle(deadline);
    await bridge?.close();
    await withdraw();
  }
}

/** Waits and schedules of workflows go on, wherever their port is. */
function startWebhooks(core: NodeCore, serving: Serving): void {
  const port = serving.ports.find(({ info }) => info.listener === 'webhooks');
  core.webhooks
    .start(port && addressOf(port.host, port.port))
    .catch((error) => core.host.log.error('workflows could not be opened', { error: String(error) }));
}

async function announceServing(
  args: Arguments & { home: string },
  serving: Serving,
  token: string,
): Promise<() => Promise<void>> {
  if (!serving.appOrigin) return async () => {};
  const { port } = new URL(serving.appOrigin);
  const models = serving.ports.find(({ info }) => info.listener === 'local-models');
  return announce(args.home, {
    pid: process.pid,
    address: `http://${reachableAt(args.listen)}:${port}`,
    ...(models && { api: `http://${models.host}:${models.port}` }),
    token,
  });
}

/** A first model, when there is none. The ports answer meanwhile; without it they answer all the same. */
async function fetchFirstModel(core: NodeCore, io: ServeIo): Promise<void> {
  const client = new ApiClient(sendTo(core.server), io.stop);
  if ((await client.get<TagsAnswer>('/api/tags')).models.length > 0) return;
  io.out.write(`\nNo model is installed yet: fetching ${defaultModel}\n`);
  try {
    await pullModel(client, defaultModel, io.out);
  } catch (error) {
    if (io.stop.aborted) return;
    io.out.write(
      `${defaultModel} could not be fetched: ${(error as Error).message}\n` +
        `Try again with 'tabd pull ${defaultModel}', or install a file: tabd import PATH.gguf\n`,
    );
  }
}

/** The same for every visit of the page: a key until this process ends. */
function pageKey(server: NodeCore['server']): () => Promise<string> {
  let key: Promise<string> | undefined;
  return () => {
    key ??= new ApiClient(sendTo(server), new AbortController().signal)
      .post<{ apiKey: string }>('/api/v1/keys', { temporary: true })
      .then(({ apiKey }) => apiKey);
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
}

function banner(core: NodeCore, serving: Serving, notices: string[]): string {
  const rows = [
    ...(serving.appOrigin ? [['page', serving.appOrigin]] : []),
    ...serving.ports.map(({ info, host, port }) => [info.what, addressOf(host, port)]),
    ['data', core.host.home],
  ];
  const width = Math.max(...rows.map(([label]) => label!.length));
  const lines = rows.map(([label, value]) => `  ${label!.padEnd(width)}  ${value}`);
  return [`tabd ${TABD_VERSION}`, ...lines, ...notices.map((notice) => `! ${notice}`), ''].join('\n');
}

/** As people write it. */
function addressOf(host: string, port: number): string {
  return `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`;
}

function bridgeHelp(bridge: TabBridge): string {
  return `\nThe ports are answered by a tab. Open this link once in the browser that shall do so:\n  ${bridge.link}\n`;
}

async function nextSteps(core: NodeCore, serving: Serving, viaTab: boolean): Promise<string> {
  const models = serving.ports.find(({ info }) => info.listener === 'local-models');
  const installed = (await core.registry.list()).find(({ capabilities }) =>
    capabilities.includes('completion'),
  );
  const model = installed ? core.registry.display(installed.name) : defaultModel;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Why is the sky blue?' }] });
  const lines = ['', 'Ready.'];
  if (serving.appOrigin && !viaTab)
    lines.push(`  Open ${serving.appOrigin} in a browser, or ask from a terminal:`);
  if (models) lines.push(`  curl ${addressOf(models.host, models.port)}/api/chat -d '${body}'`);
  return [...lines, '  Ctrl+C stops.', ''].join('\n');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
