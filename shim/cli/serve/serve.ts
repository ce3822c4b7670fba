import type { CallContext } from '#core/http';
import { flagSetting } from '#core/settings';
import { answeringRoutes } from '../../app-server/answering-routes.ts';
import { findAppFolder } from '../../app-server/app-folder.ts';
import { appControlRoutes, authorized } from '../../app-server/control.ts';
import { tabsRoutes } from '../../app-server/tabs-routes.ts';
import { aborted } from '../../base/aborted.ts';
import { UsageError } from '../../base/usage-error.ts';
import { storedPairing } from '../../bridge/stored-pairing.ts';
import { SwitchableServer, storedServedBy, storeServedBy } from '../../bridge/switchable-server.ts';
import { BRIDGE_PATH, TabBridge } from '../../bridge/tab-bridge.ts';
import { announceServer, newToken } from '../../home/running-server.ts';
import { createLog } from '../../host/log.ts';
import { CONTENT_TYPE } from '../../metrics/instruments.ts';
import { knownGpus } from '../../metrics/known-gpus.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { readModelFolders } from '../../model-folders/model-folders.ts';
import type { OpenTelemetry } from '../../tracing/open-telemetry.ts';
import { startTracing } from '../../tracing/start-tracing.ts';
import { tracedServer } from '../../tracing/traced-server.ts';
import { tracedText } from '../../tracing/traced-text.ts';
import type { Arguments } from '../arguments.ts';
import { ApiClient } from '../client/api-client.ts';
import { sendTo } from '../client/connection.ts';
import { consentOnTerminal } from '../download-consent.ts';
import { importModelFile } from '../import-file.ts';
import { type NodeCore, openNodeCore } from '../node-core.ts';
import type { Terminal } from '../progress.ts';
import { FIRST_CHECKPOINT, placeFirstCheckpoint } from './first-checkpoint.ts';
import { installFirstModels, requestedModels } from './first-models.ts';
import { installedWeights } from './installed-weights.ts';
import { logTerminal } from './log-terminal.ts';
import { withOllamaHost } from './ollama-host-ports.ts';
import { type OpenServers, openServers, reachableAt } from './open-servers.ts';
import { type Access, type Https, readAccess, readHttps, readLogFormat } from './serve-options.ts';
import { addressOf, addressRows, banner, bridgeHelp, httpsHelp, nextSteps } from './serve-text.ts';
import { withWebhooksPort } from './webhooks-port.ts';

/** Milliseconds that running requests have to finish after the first Ctrl+C. */
const GRACE_PERIOD = 30_000;
/** Milliseconds after the start until GPUs are searched, so that the result is ready when a client needs it. */
const GPU_SEARCH_DELAY = 1000;

export interface ServeIo {
  env: NodeJS.ProcessEnv;
  out: Terminal;
  /** Stops the server. Running requests may finish. */
  stop: AbortSignal;
  /** Aborts requests that still run. */
  force: AbortSignal;
}

/**
 * `tabd serve`: returns when `stop` has aborted and everything is closed. Rejects with `HomeInUse`,
 * `UsageError`.
 */
export async function serve(args: Arguments & { home: string }, io: ServeIo): Promise<void> {
  const json = readLogFormat(args) === 'json';
  const level = flagSetting({ setting: (name) => io.env[name] }, 'OLLAMA_DEBUG') ? 'debug' : 'info';
  const log = createLog({ level, json });
  const access = readAccess(args, io.env);
  const models = requestedModels(args);
  const modelFolders = await readModelFolders({
    home: args.home,
    env: io.env,
    log,
    modelsFolders: args.lists['models-folder'] ?? [],
    configs: args.lists['extra-model-paths-config'] ?? [],
  });
  const metrics = new Metrics(log);
  const tracing = await startTracing(io.env, `tabd-${process.pid}`, log);
  const core = await openNodeCore({
    home: args.home,
    env: io.env,
    log,
    modelFolders,
    consent: consentOnTerminal(true),
    watch: (text) => tracedText(metrics.meter(text), tracing),
    meter: metrics.work,
    ...(tracing && { tracing }),
  });
  const out = json ? logTerminal(log) : io.out;
  try {
    if (args.pull && modelFolders.mounts.size === 0) await addFirstCheckpoint(core);
    const https = await readHttps(args);
    await serveCore(core, { args, access, metrics, tracing, https, json, models }, { ...io, out });
  } finally {
    await core.close();
    await tracing?.close();
  }
}

interface Setup {
  args: Arguments & { home: string };
  access: Access | undefined;
  metrics: Metrics;
  tracing: OpenTelemetry | undefined;
  https: Https | undefined;
  json: boolean;
  /** Models to install if they are missing. */
  models: string[];
}

async function serveCore(core: NodeCore, setup: Setup, io: ServeIo): Promise<void> {
  const { args, access, metrics, tracing, https } = setup;
  const { home, log } = core.host;
  const token = newToken();
  const { ports, notices } = plannedPorts(setup, io.env);
  let answering: SwitchableServer | undefined;
  let isStarted = false;
  const startBackgroundWork = () => {
    if (isStarted || !serving || answering?.by === 'tab') return;
    isStarted = true;
    void core.text.resume(io.stop);
    startWebhooks(core, serving);
    const cancelGpuSearch = core.host.clock.after(
      GPU_SEARCH_DELAY,
      () => void core.host.machine.gpus().catch(() => {}),
    );
    io.stop.addEventListener('abort', cancelGpuSearch, { once: true });
  };
  const answers = answeringRoutes(
    () => answering,
    (by) => storeServedBy(home, by),
  );
  const tabs = tabsRoutes({
    bridge: () => answering?.bridge,
    isCommandLine: (request) => authorized(request, token),
  });
  const controls = appControlRoutes({
    token,
    server: core.server,
    webhooks: () => answering?.current ?? core.server,
    // With --listen, other computers reach the page too. Only the page of this computer may manage workflows.
    pageKey: args.listen ? () => undefined : pageKey(core.server, () => answering?.by !== 'tab'),
    importFile: (path, name, signal) => importModelFile(core.registry, path, name, signal),
  });
  let serving: OpenServers | undefined;
  serving = await openServers({
    ports,
    listen: args.listen,
    ...(https && { tls: https.certificate.server, httpsHosts: https.hosts }),
    gates: [metrics.gate, ...(access ? [access.gate] : [])],
    notice: (text) => notices.push(text),
    server(appOrigins) {
      const byTab = args.viaTab || storedServedBy(home) === 'tab';
      if (appOrigins.length === 0) {
        if (args.viaTab) throw new UsageError('--via-tab needs the app server: leave out app=off');
        return tracedServer(core.server, tracing);
      }
      const tab = new TabBridge({
        appOrigins,
        pairing: storedPairing(home),
        canonicalModel: (name) => canonicalModel(core, name),
        onChange: (connected, cause) =>
          log.info(connected ? 'a tab answers the ports' : 'a tab disconnected', { cause }),
      });
      answering = new SwitchableServer({
        node: core.server,
        tab,
        by: byTab ? 'tab' : 'node',
        onChange: startBackgroundWork,
      });
      return tracedServer(answering, tracing);
    },
    app: {
      folder: findAppFolder(),
      weights: installedWeights(core.registry, core.host.blobs),
      ...(https && { authority: https.certificate.authority }),
      metrics: (headers) => printMetrics(core, metrics, answering, !access || access.knows(headers)),
      extraRoutes: (...call) => answers(...call) ?? tabs(...call) ?? controls(...call),
      connect: (request, path) =>
        path === BRIDGE_PATH && answering?.by === 'tab'
          ? Promise.resolve(answering.bridge.accept(request))
          : undefined,
    },
  });
  for (const { port } of serving.ports) core.host.openPorts.add(port);
  const withdraw = await announceServing(args, serving, token, access?.key);
  try {
    printStart(core, serving, setup, io, notices);
    startBackgroundWork();
    void core.registry.prune(io.stop).catch((error) => {
      if (!io.stop.aborted) log.warn('old downloads could not be deleted', { error: String(error) });
    });
    await printNextSteps(core, serving, setup, io, answering);
    await aborted(io.stop);
    // Clients that follow events would otherwise keep their connections open.
    core.webhooks.endEvents();
    const running = serving.running();
    if (running > 0)
      io.out.write(`\nfinishing ${running} running request(s); press Ctrl+C again to abort them\n`);
  } finally {
    const deadline = AbortSignal.any([io.force, AbortSignal.timeout(GRACE_PERIOD)]);
    core.host.openPorts.clear();
    await serving.close(deadline);
    await core.webhooks.settle(deadline);
    await answering?.close();
    await withdraw();
  }
}

/** The short form of a model's name, by which tabs are compared. A name that is not valid stays as it is. */
function canonicalModel({ registry }: NodeCore, name: string): string {
  try {
    return registry.display(registry.parse(name));
  } catch {
    return name;
  }
}

/** The ports to open, with notices about who can reach them. */
function plannedPorts({ args, access, https }: Setup, env: NodeJS.ProcessEnv) {
  const notices: string[] = [];
  if (args.listen) {
    const where = args.listen === 'any' ? 'all addresses of this computer' : args.listen;
    notices.push(
      `listening on ${where}: other computers can use this server${access ? ' with a key' : ' without a key'}`,
    );
  }
  if (access) notices.push(access.notice);
  const { ports: modelPorts, notices: hostNotices } = withOllamaHost(args.ports, env, https !== undefined);
  const { ports, notices: portNotices } = withWebhooksPort(modelPorts, env);
  notices.push(...hostNotices, ...portNotices);
  return { ports, notices };
}

/** Prints or logs the addresses and notices. */
function printStart(
  core: NodeCore,
  serving: OpenServers,
  { json }: Setup,
  io: ServeIo,
  notices: string[],
): void {
  const rows = addressRows(core, serving);
  const { log } = core.host;
  if (json) {
    log.info('serving', Object.fromEntries(rows));
    for (const notice of notices) log.warn(notice);
  } else io.out.write(banner(rows, notices));
}

/** Installs first models, and prints what the user can do now. */
async function printNextSteps(
  core: NodeCore,
  serving: OpenServers,
  { args, access, https, models }: Setup,
  io: ServeIo,
  answering: SwitchableServer | undefined,
): Promise<void> {
  if (https && serving.appOrigin) io.out.write(httpsHelp(https, serving, args.listen !== undefined));
  const viaTab = answering?.by === 'tab';
  if (viaTab) io.out.write(bridgeHelp(answering.bridge));
  else {
    const client = new ApiClient(sendTo(core.server), io.stop);
    await installFirstModels(client, { first: args.pull, requested: models }, io);
  }
  if (!io.stop.aborted) io.out.write(await nextSteps(core, serving, viaTab, access?.key));
}

/** Starts schedules and waiting executions. They also work if the webhooks port is closed. */
function startWebhooks(core: NodeCore, serving: OpenServers): void {
  const port = serving.ports.find(({ info }) => info.listener === 'webhooks');
  core.webhooks
    .start(port && addressOf(port.host, port.port))
    .catch((error) => core.host.log.error('workflows could not be started', { error: String(error) }));
}

async function announceServing(
  args: Arguments & { home: string },
  serving: OpenServers,
  token: string,
  apiKey: string | undefined,
): Promise<() => Promise<void>> {
  if (!serving.appOrigin) return async () => {};
  const { port } = new URL(serving.appOrigin);
  const models = serving.ports.find(({ info }) => info.listener === 'local-models');
  return announceServer(args.home, {
    pid: process.pid,
    address: `http://${reachableAt(args.listen)}:${port}`,
    ...(models && { api: `http://${models.host}:${models.port}` }),
    token,
    ...(apiKey !== undefined && { apiKey }),
  });
}

async function printMetrics(
  core: NodeCore,
  metrics: Metrics,
  answering: SwitchableServer | undefined,
  isAllowed: boolean,
): Promise<Response> {
  if (!isAllowed) return new Response('this server requires a key\n', { status: 401 });
  // Only this process reports its load. A tab does not.
  const load =
    answering?.by === 'tab'
      ? { tab: answering.bridge.connected }
      : {
          models: { loaded: core.text.loaded().length, waiting: core.text.waiting() },
          images: await queuedImages(core),
          webhooks: await core.webhooks.load(),
          gpus: await knownGpus(core.host.machine),
        };
  return new Response(metrics.print(load), { headers: { 'content-type': CONTENT_TYPE } });
}

/** The number of queued prompts, as the ComfyUI API reports it. */
async function queuedImages({ server }: NodeCore): Promise<number | undefined> {
  const context: CallContext = {
    listener: 'image-workflows',
    loopback: true,
    clientAddress: '127.0.0.1',
    appOrigins: [],
  };
  const answer = await server.fetch(new Request('http://localhost/prompt'), context);
  const queue = (await answer.json().catch(() => ({}))) as { exec_info?: { queue_remaining?: number } };
  return queue.exec_info?.queue_remaining;
}

/** Gives a new home an image model, unless another one is installed. The server also starts after a failure. */
async function addFirstCheckpoint({ host, registry }: NodeCore): Promise<void> {
  try {
    const installed = await registry.list();
    if (installed.some(({ capabilities }) => capabilities.includes('image'))) return;
    if (await placeFirstCheckpoint(host.home, findAppFolder()))
      host.log.info('the image model of the page was copied', { checkpoint: FIRST_CHECKPOINT });
  } catch (error) {
    host.log.warn(`${FIRST_CHECKPOINT} could not be copied to the checkpoints`, { error: String(error) });
  }
}

/** A key of the control API for the page, valid until this process ends. All visits of the page share it. */
function pageKey(server: NodeCore['server'], isOurs: () => boolean): () => Promise<string> | undefined {
  let key: Promise<string> | undefined;
  return () => {
    if (!isOurs()) return undefined;
    key ??= new ApiClient(sendTo(server), new AbortController().signal)
      .post<{ apiKey: string }>('/api/v1/keys', { temporary: true })
      .then(({ apiKey }) => apiKey);
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
}
